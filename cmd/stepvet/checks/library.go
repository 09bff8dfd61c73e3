package checks

import (
	"go/ast"
	"go/types"
	"iter"
	"maps"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// library is the prefix of the import paths of this library.
const library = "github.com/futoin-go/asyncsteps/"

// callee returns the function or method that is called, and its name with the package: "time.Sleep", "step.New",
// "(*sync.Mutex).Lock". The names of packages of the library are their paths below its root, those of others their full paths. It
// returns nil for calls of function values and builtin functions, and for conversions.
func callee(info *types.Info, call *ast.CallExpr) (*types.Func, string) {
	fn, ok := typeutil.Callee(info, call).(*types.Func)
	if !ok {
		return nil, ""
	}
	return fullName(fn)
}

// named is callee for an expression that names a function or a method without calling it.
func named(info *types.Info, e ast.Expr) (*types.Func, string) {
	e = ast.Unparen(e)
	if index, ok := e.(*ast.IndexExpr); ok {
		e = index.X
	} else if index, ok := e.(*ast.IndexListExpr); ok {
		e = index.X
	}
	if sel, ok := e.(*ast.SelectorExpr); ok {
		e = sel.Sel
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil, ""
	}
	fn, ok := info.Uses[id].(*types.Func)
	if !ok {
		return nil, ""
	}
	return fullName(fn)
}

func fullName(fn *types.Func) (*types.Func, string) {
	fn = fn.Origin()
	return fn, strings.ReplaceAll(typeArgs(fn.FullName()), library, "")
}

// typeArgs removes type arguments: "(*flow.Running[Out]).Wait" becomes "(*flow.Running).Wait".
func typeArgs(name string) string {
	open, rest, ok := strings.Cut(name, "[")
	if !ok {
		return name
	}
	return open + rest[strings.LastIndexByte(rest, ']')+1:]
}

func isNamed(t types.Type, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	o := named.Obj()
	return o.Name() == name && o.Pkg() != nil && o.Pkg().Path() == library+"step"
}

// builds reports whether t is a plan, a step or a stream, which are built once and run many times.
func builds(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	switch named.Obj().Pkg().Path() + "." + named.Obj().Name() {
	case library + "step.Step", library + "flow.Plan", library + "stream.Stream":
		return true
	}
	return false
}

// executor is where the library runs a function that it gets as an argument.
type executor int

const (
	elsewhere executor = iota // unknown, or of no interest
	onLoop                    // on the event loop: it must not block
	goroutine                 // on a goroutine of its own
)

// runsAt returns where the library runs argument i of fn, whose qualified name is name. An argument with a parameter of type Scope is
// a body, a handler or a hook; other functions that run on the loop, or on a goroutine, are listed here.
func runsAt(fn *types.Func, name string, i int) executor {
	params := fn.Signature().Params()
	if fn.Pkg() == nil || !strings.HasPrefix(fn.Pkg().Path(), library) || params.Len() == 0 {
		return elsewhere
	}
	takes, ok := params.At(min(i, params.Len()-1)).Type().Underlying().(*types.Signature)
	if !ok {
		return elsewhere
	}
	switch name {
	case "step.Await", "step.AwaitGrace", "step.Do", "step.Act", "flow.AwaitChan",
		"stream.Await", "stream.Generate", "stream.Records", "stream.Consume", "stream.Write", "stream.Send":
		return goroutine
	case "step.Map", "step.Wait", "step.StackCleanup", "(step.Scope).SetCancel", "flow.AwaitRun",
		"stream.Map", "stream.Func", "stream.Filter", "stream.Expand", "stream.Scan", "stream.Distinct", "stream.Partition",
		"stream.Catch", "stream.Input", "stream.Fold", "stream.ForEach":
		return onLoop
	}
	for p := range takes.Params().Variables() {
		if isNamed(p.Type(), "Scope") {
			return onLoop
		}
	}
	return elsewhere
}

// body is a function that is given to the library.
type body struct {
	node     ast.Node // *ast.FuncLit or *ast.FuncDecl
	block    *ast.BlockStmt
	executor executor
	to       string // the function that gets it, like "step.New"
}

// bodies finds the functions that a package gives to the library and that the library runs on the loop or on a goroutine: literals,
// and functions and methods of the package, also through variables with a known value. A function that is given several times is
// found once for each executor.
func bodies(pass *analysis.Pass) []body {
	declared, known := declarations(pass), valuesOf(pass)
	var found []body
	seen := map[ast.Node]map[executor]bool{}
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			fn, name := callee(pass.TypesInfo, call)
			if fn == nil {
				return true
			}
			for i, arg := range call.Args {
				at := runsAt(fn, name, i)
				if at == elsewhere {
					continue
				}
				node, block := function(pass.TypesInfo, declared, known.of(pass.TypesInfo, arg))
				if block == nil || seen[node][at] {
					continue
				}
				if seen[node] == nil {
					seen[node] = map[executor]bool{}
				}
				seen[node][at] = true
				found = append(found, body{node, block, at, name})
			}
			return true
		})
	}
	return found
}

func declarations(pass *analysis.Pass) map[*types.Func]*ast.FuncDecl {
	return maps.Collect(functions(pass))
}

// functions yields the functions and methods that a package declares, in the order of its files.
func functions(pass *analysis.Pass) iter.Seq2[*types.Func, *ast.FuncDecl] {
	return func(yield func(*types.Func, *ast.FuncDecl) bool) {
		for _, file := range pass.Files {
			for _, d := range file.Decls {
				d, ok := d.(*ast.FuncDecl)
				if !ok || d.Body == nil {
					continue
				}
				if fn, ok := pass.TypesInfo.Defs[d.Name].(*types.Func); ok && !yield(fn, d) {
					return
				}
			}
		}
	}
}

// listed reports whether a statement with the given parent is one of a list, to which a fix can add statements. A statement in the
// header of an if, a switch or a for isn't.
func listed(parent ast.Node) bool {
	switch parent.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// function resolves an expression to the code of a function: a literal, or the name of a function or method of this package, with or
// without type arguments.
func function(info *types.Info, declared map[*types.Func]*ast.FuncDecl, arg ast.Expr) (ast.Node, *ast.BlockStmt) {
	arg = ast.Unparen(arg)
	if lit, ok := arg.(*ast.FuncLit); ok {
		return lit, lit.Body
	}
	fn, _ := named(info, arg)
	if fn == nil {
		return nil, nil
	}
	if d := declared[fn]; d != nil {
		return d, d.Body
	}
	return nil, nil
}

// variable returns the variable or field that e names, or nil.
func variable(info *types.Info, e ast.Expr) *types.Var {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, _ := info.ObjectOf(e).(*types.Var)
		return v
	case *ast.SelectorExpr:
		v, _ := info.ObjectOf(e.Sel).(*types.Var)
		return v
	}
	return nil
}

func within(o types.Object, n ast.Node) bool { return n.Pos() <= o.Pos() && o.Pos() < n.End() }
