package checks

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// SharedWrite reports bodies that assign, also through a pointer, to a variable which runs or goroutines share:
//
//   - in a plan that a variable of the package holds, to a variable of the package;
//   - in a plan that a function returns, to a variable of the function, except in tests;
//   - in a flow.ParEach whose bodies run on goroutines side by side, as those of step.Await do, to a variable outside of the ParEach.
//
// A body that takes a lock, or is under syncx.Sync, isn't reported. There is no fix: a run's own data belongs in the values that
// its steps pass on, in step.Var or in step.Stack.
var SharedWrite = honourMarkers(&analysis.Analyzer{
	Name: "sharedwrite",
	Doc: `report a body that writes a variable which all runs of its plan share

A plan is built once and run many times, also at the same time on several loops.
A variable outside of a body exists once for all of these runs. Hand values on
from step to step, or keep them in step.Var or step.Stack.`,
	URL: guide,
	Run: sharedWrite,
})

func sharedWrite(pass *analysis.Pass) (any, error) {
	found := bodies(pass)
	for _, file := range pass.Files {
		w := writes{pass: pass, executors: map[ast.Node]executor{}, declared: declarations(pass), seen: map[token.Pos]bool{}}
		for _, b := range found {
			w.executors[b.node] = b.executor
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				w.packageLevel(d)
			case *ast.FuncDecl:
				if d.Body == nil {
					break
				}
				// In tests, plans often count their runs.
				if !strings.HasSuffix(pass.Fset.Position(file.Pos()).Filename, "_test.go") {
					w.returned(d, d.Type.Results, d.Body)
				}
				w.atOnce(d.Body)
			}
		}
	}
	return nil, nil
}

type writes struct {
	pass      *analysis.Pass
	executors map[ast.Node]executor
	declared  map[*types.Func]*ast.FuncDecl
	seen      map[token.Pos]bool
}

// packageLevel looks at the bodies of plans in variables of the package.
func (w *writes) packageLevel(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		values, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for _, value := range values.Values {
			if t := w.pass.TypesInfo.TypeOf(value); t == nil || !builds(t) {
				continue
			}
			w.bodiesIn(value, func(at executor) bool { return at != elsewhere }, func(v *types.Var) string {
				if v.Parent() == w.pass.Pkg.Scope() {
					return "all runs of the plan share it"
				}
				return ""
			})
		}
	}
}

// returned looks at the bodies of plans that a function builds and returns in one expression.
func (w *writes) returned(fn ast.Node, results *ast.FieldList, block *ast.BlockStmt) {
	if results == nil {
		return
	}
	ast.Inspect(block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			for _, value := range n.Results {
				if t := w.pass.TypesInfo.TypeOf(value); t == nil || !builds(t) {
					continue
				}
				w.bodiesIn(value, func(at executor) bool { return at != elsewhere }, func(v *types.Var) string {
					// A pointer among the parameters may be for one run.
					if within(v, fn) && !within(v, value) && (within(v, block) || !isPointer(v.Type())) {
						return "all runs of the plan that is returned share it"
					}
					return ""
				})
			}
		}
		return true
	})
}

// atOnce looks at the bodies that flow.ParEach runs on goroutines side by side, unless its bound is the constant 1.
func (w *writes) atOnce(block *ast.BlockStmt) {
	ast.Inspect(block, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		_, name := callee(w.pass.TypesInfo, call)
		if name == "flow.ParEach" && len(call.Args) > 0 {
			if bound := w.pass.TypesInfo.Types[call.Args[0]].Value; bound != nil && bound.String() == "1" {
				return true
			}
		}
		if name == "flow.ParEach" {
			w.bodiesIn(call, func(at executor) bool { return at == goroutine }, func(v *types.Var) string {
				if !within(v, call) {
					return "goroutines that " + name + " runs side by side share it"
				}
				return ""
			})
		}
		return true
	})
}

// bodiesIn looks at the bodies in e, function literals and methods, whose executor is wanted. It reports their writes to variables
// for which why returns a reason.
func (w *writes) bodiesIn(e ast.Expr, wanted func(executor) bool, why func(*types.Var) string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			_, name := callee(w.pass.TypesInfo, n)
			return name != "syncx.Sync"
		case *ast.FuncLit:
			if at := w.executors[n]; wanted(at) && !w.locks(n.Body) {
				w.assigns(n, n.Body, nil, why)
			}
		case *ast.SelectorExpr:
			w.method(n, wanted, why)
		}
		return true
	})
}

// method looks at a method that is used as a body, such as s.load: the method may write to memory that s points to.
func (w *writes) method(sel *ast.SelectorExpr, wanted func(executor) bool, why func(*types.Var) string) {
	d, ok := w.declared[methodOf(w.pass.TypesInfo, sel)]
	if !ok || d.Recv == nil || len(d.Recv.List[0].Names) == 0 || !wanted(w.executors[d]) || w.locks(d.Body) {
		return
	}
	of := variable(w.pass.TypesInfo, sel.X)
	receiver, ok := w.pass.TypesInfo.Defs[d.Recv.List[0].Names[0]].(*types.Var)
	if of == nil || !ok || !isPointer(receiver.Type()) {
		return
	}
	w.assigns(d, d.Body, receiver, func(v *types.Var) string {
		if v == receiver {
			v = of
		}
		return why(v)
	})
}

// methodOf returns the method that sel names, or nil.
func methodOf(info *types.Info, sel *ast.SelectorExpr) *types.Func {
	if s := info.Selections[sel]; s == nil || s.Kind() != types.MethodVal {
		return nil
	}
	fn, _ := named(info, sel)
	return fn
}

// assigns reports assignments in body, the code of fn, except in functions that a sync.Once calls. If fn is a method, receiver is
// its receiver, which counts as a variable outside of fn; otherwise receiver is nil.
func (w *writes) assigns(fn ast.Node, body *ast.BlockStmt, receiver *types.Var, why func(*types.Var) string) {
	target := func(e ast.Expr) {
		id := root(w.pass.TypesInfo, e)
		if id == nil || w.seen[id.Pos()] {
			return
		}
		v, ok := w.pass.TypesInfo.Uses[id].(*types.Var)
		if !ok || within(v, fn) && v != receiver {
			return
		}
		if reason := why(v); reason != "" {
			w.seen[id.Pos()] = true
			report(w.pass, id.Pos(), "a body writes "+v.Name()+": "+reason)
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			_, name := callee(w.pass.TypesInfo, n)
			return name != "(*sync.Once).Do"
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, to := range n.Lhs {
					target(to)
				}
			}
		case *ast.IncDecStmt:
			target(n.X)
		}
		return true
	})
}

// root returns the variable whose memory an assignment to e changes: x of x, *x, x.f and x[i]. It returns nil if the memory isn't
// known, as behind a pointer in a field, and for elements of slices, each of which may belong to one run.
func root(info *types.Info, e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.StarExpr:
		id, _ := ast.Unparen(e.X).(*ast.Ident)
		return id
	case *ast.SelectorExpr:
		if id, ok := ast.Unparen(e.X).(*ast.Ident); ok {
			if _, isPackage := info.Uses[id].(*types.PkgName); isPackage {
				return e.Sel
			}
			return id
		}
		if pointer(info, e.X) {
			return nil
		}
		return root(info, e.X)
	case *ast.IndexExpr:
		switch info.TypeOf(e.X).Underlying().(type) {
		case *types.Map, *types.Array:
			return root(info, e.X)
		}
	}
	return nil
}

func (w *writes) locks(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			fn, _ := callee(w.pass.TypesInfo, call)
			found = found || fn != nil && (fn.Name() == "Lock" || fn.Name() == "TryLock")
		}
		return !found
	})
	return found
}
