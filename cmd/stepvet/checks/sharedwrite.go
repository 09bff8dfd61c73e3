package checks

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// SharedWrite reports bodies that assign to a variable which all runs of a plan
// share: a variable of the package, in a plan that is a variable of the package;
// a variable of a function that returns the plan, outside of tests; any variable
// outside of flow.ParEach, in a body of step.Await that it runs side by side.
// A body that takes a lock, and one under syncx.Sync, is not reported. There is
// no fix: a run's own data belongs into what its steps hand on, into step.Var
// or step.Stack.
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
		w := writes{pass: pass, places: map[ast.Node]place{}, seen: map[token.Pos]bool{}}
		for _, b := range found {
			w.places[b.node] = b.place
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				w.packageLevel(d)
			case *ast.FuncDecl:
				if d.Body == nil {
					break
				}
				// In tests, plans that count their runs are a common double.
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
	pass   *analysis.Pass
	places map[ast.Node]place
	seen   map[token.Pos]bool
}

// packageLevel looks at plans that are variables of the package.
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
			w.bodiesIn(value, func(at place) bool { return at != elsewhere }, func(v *types.Var) string {
				if v.Parent() == w.pass.Pkg.Scope() {
					return "all runs of the plan share it"
				}
				return ""
			})
		}
	}
}

// returned looks at plans that a function builds and returns in one expression.
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
				w.bodiesIn(value, func(at place) bool { return at != elsewhere }, func(v *types.Var) string {
					if within(v, fn) && !within(v, value) {
						return "all runs of the plan that is returned share it"
					}
					return ""
				})
			}
		}
		return true
	})
}

// atOnce looks at goroutines that run side by side.
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
			w.bodiesIn(call, func(at place) bool { return at == goroutine }, func(v *types.Var) string {
				if !within(v, call) {
					return "goroutines that " + name + " runs side by side share it"
				}
				return ""
			})
		}
		return true
	})
}

// bodiesIn reports writes in the literal bodies of an expression, at places that
// are wanted, to variables for which why gives a reason.
func (w *writes) bodiesIn(e ast.Expr, wanted func(place) bool, why func(*types.Var) string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			_, name := callee(w.pass.TypesInfo, n)
			return name != "syncx.Sync"
		case *ast.FuncLit:
			if at := w.places[n]; wanted(at) && !w.locks(n) {
				w.assigns(n, why)
			}
		}
		return true
	})
}

// assigns reports assignments in a body.
func (w *writes) assigns(lit *ast.FuncLit, why func(*types.Var) string) {
	target := func(e ast.Expr) {
		id := root(w.pass.TypesInfo, e)
		if id == nil || w.seen[id.Pos()] {
			return
		}
		v, ok := w.pass.TypesInfo.Uses[id].(*types.Var)
		if !ok || within(v, lit) {
			return
		}
		if reason := why(v); reason != "" {
			w.seen[id.Pos()] = true
			report(w.pass, id.Pos(), "a body writes "+v.Name()+": "+reason)
		}
	}
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
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

// root returns the variable whose memory an assignment to e changes: x of x, of
// x.f and of x[i] where x is no pointer. A map is the variable's own as well.
func root(info *types.Info, e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
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

// locks reports whether a body takes a lock.
func (w *writes) locks(lit *ast.FuncLit) bool {
	found := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			fn, _ := callee(w.pass.TypesInfo, call)
			found = found || fn != nil && fn.Name() == "Lock"
		}
		return !found
	})
	return found
}
