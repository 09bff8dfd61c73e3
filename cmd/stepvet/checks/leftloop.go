package checks

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// LeftLoop reports a loop of tool.Start or tool.NewGroup that is kept in a local
// variable and never shut down: its goroutines stay. A loop that is returned,
// stored or given to a function outside of the library is somebody else's to end.
// The fix defers Shutdown, where the file imports context.
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
			}
		}
	}
	return nil, nil
}

// leftIn looks at the loops that a function starts.
func leftIn(pass *analysis.Pass, file *ast.File, block *ast.BlockStmt) {
	ast.Inspect(block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			if name := starts(pass, n.X); name != "" {
				report(pass, n.Pos(), "the loop of "+name+" is never shut down")
			}
		case *ast.AssignStmt:
			if len(n.Lhs) != 1 || len(n.Rhs) != 1 {
				return true
			}
			name := starts(pass, n.Rhs[0])
			id, ok := n.Lhs[0].(*ast.Ident)
			if name == "" || !ok {
				return true
			}
			if id.Name != "_" {
				v, local := pass.TypesInfo.Defs[id].(*types.Var)
				if !local || endsOrEscapes(pass, block, v) {
					return true
				}
			}
			report(pass, n.Pos(), "the loop of "+name+" is never shut down", deferShutdown(file, n, id)...)
		}
		return true
	})
}

// starts returns the name of the function by which an expression starts loops.
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

// endsOrEscapes reports whether a loop is shut down, or is seen by code that
// may do so: any use but a call of another method of its own, or as an argument
// of a function of the library.
func endsOrEscapes(pass *analysis.Pass, block *ast.BlockStmt, loop *types.Var) bool {
	harmless := map[*ast.Ident]bool{}
	ast.Inspect(block, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		fn, _ := callee(pass.TypesInfo, call)
		if fn == nil || fn.Pkg() == nil || !strings.HasPrefix(fn.Pkg().Path(), library) {
			return true
		}
		for _, arg := range call.Args {
			if id, ok := ast.Unparen(arg).(*ast.Ident); ok {
				harmless[id] = fn.Pkg() != pass.Pkg
			}
		}
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok && fn.Name() != "Shutdown" && fn.Name() != "Loops" {
			if id, ok := sel.X.(*ast.Ident); ok {
				harmless[id] = true
			}
		}
		return true
	})
	out := false
	ast.Inspect(block, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && pass.TypesInfo.Uses[id] == loop && !harmless[id] {
			out = true
		}
		return !out
	})
	return out
}

// deferShutdown is the fix: a deferred Shutdown that waits for all runs.
func deferShutdown(file *ast.File, at *ast.AssignStmt, loop *ast.Ident) []analysis.SuggestedFix {
	if loop.Name == "_" {
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
