package checks

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// LeftLoop reports a loop of tool.Start or tool.NewGroup that isn't shut down, so that its goroutines stay: no variable holds the
// loop, or only a local one does. It also reports a return before the place where the loop is shut down, except in main. A loop
// that is returned, stored or given to a function outside of the library isn't reported, because other code may shut it down. The
// fix for a loop in a variable defers Shutdown, if the file imports context and the loop isn't started in the header of an if, a
// switch or a for.
var LeftLoop = honourMarkers(&analysis.Analyzer{
	Name: "leftloop",
	Doc: `report an event loop that is never shut down

tool.Start and tool.NewGroup start goroutines that end with Shutdown, which also
waits for the runs on the loop.`,
	URL: guide,
	Run: leftLoop,
})

func leftLoop(pass *analysis.Pass) (any, error) {
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				leftIn(pass, file, fn.Body)
				if fn.Name.Name != "main" || pass.Pkg.Name() != "main" { // the process ends with main
					leftEarly(pass, fn.Body)
				}
			}
		}
	}
	return nil, nil
}

// started is a loop that a function keeps in a variable.
type started struct {
	at   ast.Stmt
	by   string // tool.Start or tool.NewGroup
	name *ast.Ident
}

// startedIn returns the loop that a statement starts, if it assigns the loop, and nothing else, to a name. Otherwise by is "".
func startedIn(pass *analysis.Pass, n ast.Node) started {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if id, ok := n.Lhs[0].(*ast.Ident); ok && len(n.Lhs) == 1 && len(n.Rhs) == 1 {
			return started{n, starts(pass, n.Rhs[0]), id}
		}
	case *ast.DeclStmt:
		d, ok := n.Decl.(*ast.GenDecl)
		if !ok || len(d.Specs) != 1 {
			break
		}
		if v, ok := d.Specs[0].(*ast.ValueSpec); ok && len(v.Names) == 1 && len(v.Values) == 1 {
			return started{n, starts(pass, v.Values[0]), v.Names[0]}
		}
	}
	return started{}
}

func leftIn(pass *analysis.Pass, file *ast.File, block *ast.BlockStmt) {
	ast.PreorderStack(block, nil, func(n ast.Node, around []ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			if name := starts(pass, n.X); name != "" {
				report(pass, n.Pos(), "the loop of "+name+" is never shut down")
			}
		case *ast.CallExpr:
			leftAtOnce(pass, n)
		case ast.Stmt:
			s := startedIn(pass, n)
			if s.by == "" {
				break
			}
			if s.name.Name != "_" {
				v, local := pass.TypesInfo.Defs[s.name].(*types.Var)
				if !local || endsOrEscapes(pass, block, v) {
					break
				}
			}
			report(pass, n.Pos(), "the loop of "+s.by+" is never shut down", deferShutdown(file, around, n, s.name)...)
		}
		return true
	})
}

// leftAtOnce reports loops that are started within the call that uses them, because no other code can shut them down.
func leftAtOnce(pass *analysis.Pass, call *ast.CallExpr) {
	_, name := callee(pass.TypesInfo, call)
	if name == "flow.Start" {
		for _, arg := range call.Args {
			if by := starts(pass, arg); by != "" {
				report(pass, arg.Pos(), "the loop of "+by+" is never shut down")
			}
		}
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && name == "(*tool.Group).Next" {
		if by := starts(pass, sel.X); by != "" {
			report(pass, sel.X.Pos(), "the loop of "+by+" is never shut down")
		}
	}
}

// starts returns the name of the function by which an expression starts loops, or "".
func starts(pass *analysis.Pass, e ast.Expr) string {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return ""
	}
	switch _, name := callee(pass.TypesInfo, call); name {
	case "tool.Start", "tool.NewGroup":
		return name
	}
	return ""
}

// endsOrEscapes reports whether a loop is shut down, or is seen by code that may shut it down.
func endsOrEscapes(pass *analysis.Pass, block *ast.BlockStmt, loop *types.Var) bool {
	return ending(pass, block, loop).IsValid()
}

// ending returns the position of the first use of a loop or group, in a part of a function, that may shut it down. These uses don't
// count: as an argument of the library, as the receiver of a method other than Shutdown and Loops, and calls of Loops in len or in
// a range that shuts no loop down.
func ending(pass *analysis.Pass, in ast.Node, loop *types.Var) (first token.Pos) {
	harmless := map[*ast.Ident]bool{}
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RangeStmt:
			if group := loopsOf(pass.TypesInfo, n.X); group != nil && !endsEach(pass, n) {
				harmless[group] = true
			}
		case *ast.CallExpr:
			if builtin(pass.TypesInfo, n) == "len" {
				if group := loopsOf(pass.TypesInfo, n.Args[0]); group != nil {
					harmless[group] = true
				}
			}
			for _, id := range serving(pass, n) {
				harmless[id] = true
			}
		}
		return true
	})
	ast.Inspect(in, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && pass.TypesInfo.Uses[id] == loop && !harmless[id] && !first.IsValid() {
			first = id.Pos()
		}
		return !first.IsValid()
	})
	return first
}

// serving returns the identifiers that a call of the library may use as a loop without ending it.
func serving(pass *analysis.Pass, call *ast.CallExpr) (ids []*ast.Ident) {
	fn, _ := callee(pass.TypesInfo, call)
	if fn == nil || fn.Pkg() == nil || !strings.HasPrefix(fn.Pkg().Path(), library) {
		return nil
	}
	if fn.Pkg() != pass.Pkg {
		for _, arg := range call.Args {
			if id, ok := ast.Unparen(arg).(*ast.Ident); ok {
				ids = append(ids, id)
			}
		}
	}
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && fn.Name() != "Shutdown" && fn.Name() != "Loops" {
		if id, ok := sel.X.(*ast.Ident); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// loopsOf returns the variable g if e is g.Loops() of a group.
func loopsOf(info *types.Info, e ast.Expr) *ast.Ident {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil
	}
	if _, name := callee(info, call); name != "(*tool.Group).Loops" {
		return nil
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	id, _ := ast.Unparen(sel.X).(*ast.Ident)
	return id
}

func endsEach(pass *analysis.Pass, n *ast.RangeStmt) bool {
	if n.Value == nil {
		return false
	}
	id, ok := n.Value.(*ast.Ident)
	if !ok {
		return true
	}
	loop, ok := pass.TypesInfo.Defs[id].(*types.Var)
	return id.Name != "_" && (!ok || ending(pass, n.Body, loop).IsValid())
}

// leftEarly reports returns between the start of a loop and the first place where it may be shut down.
func leftEarly(pass *analysis.Pass, block *ast.BlockStmt) {
	ast.Inspect(block, func(n ast.Node) bool {
		s := startedIn(pass, n)
		if s.by == "" {
			return true
		}
		loop, local := pass.TypesInfo.Defs[s.name].(*types.Var)
		if !local {
			return true
		}
		end := ending(pass, block, loop)
		if !end.IsValid() { // leftIn reports the loop
			return true
		}
		for _, r := range returnsBehind(block, s.at) {
			if r.Pos() < end && loop.Parent().Contains(r.Pos()) && !ending(pass, r, loop).IsValid() {
				report(pass, r.Pos(), "the loop of "+s.by+" isn't shut down on this return")
			}
		}
		return true
	})
}

// returnsBehind returns the return statements after start, in the function that contains start and in those around it.
func returnsBehind(block *ast.BlockStmt, start ast.Stmt) (behind []*ast.ReturnStmt) {
	ast.Inspect(block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return n.Pos() <= start.Pos() && start.End() <= n.End()
		case *ast.ReturnStmt:
			if n.Pos() > start.End() {
				behind = append(behind, n)
			}
		}
		return true
	})
	return behind
}

// deferShutdown returns the fix, a deferred Shutdown that waits for all runs. It returns nil if the loop has no name, if the file
// doesn't import context under this name, or if the statement at is in a header. around has the nodes from block down to the
// parent of at.
func deferShutdown(file *ast.File, around []ast.Node, at ast.Node, loop *ast.Ident) []analysis.SuggestedFix {
	if loop.Name == "_" || !listed(around[len(around)-1]) {
		return nil
	}
	for _, spec := range file.Imports {
		if spec.Path.Value == `"context"` && spec.Name == nil {
			return []analysis.SuggestedFix{{
				Message: "shut it down when the function ends",
				TextEdits: []analysis.TextEdit{{
					Pos: at.End(), End: at.End(),
					NewText: []byte("\ndefer " + loop.Name + ".Shutdown(context.Background())"),
				}},
			}}
		}
	}
	return nil
}
