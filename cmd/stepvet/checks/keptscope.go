package checks

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// KeptScope reports a step.Scope that is used where its step may have ended: in a goroutine, in a body that the library runs on
// one, such as that of step.Await, or in a callback of a timer or a loop. It also reports one that is stored in a field, in an
// element or in a variable outside of the body, or sent to a channel. A callback of a loop may use the scope if it calls as.Valid
// or as.Err, and a variable may keep the scope for these calls alone. There is no fix: as.Context() and step.Done may be used
// anywhere.
var KeptScope = honourMarkers(&analysis.Analyzer{
	Name: "keptscope",
	Doc: `report a step.Scope that is kept beyond its step

A Scope is valid on the loop until its step ends. Used later it does nothing,
or fails the step that is executing then; used on another goroutine it is a
data race. Hand out as.Context(), or the step.Done of step.Wait, instead.`,
	URL: guide,
	Run: keptScope,
})

func keptScope(pass *analysis.Pass) (any, error) {
	known := valuesOf(pass)
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			var params *ast.FieldList
			var block *ast.BlockStmt
			switch fn := n.(type) {
			case *ast.FuncLit:
				params, block = fn.Type.Params, fn.Body
			case *ast.FuncDecl:
				params, block = fn.Type.Params, fn.Body
			}
			if block == nil {
				return true
			}
			for _, field := range params.List {
				for _, id := range field.Names {
					if v, ok := pass.TypesInfo.Defs[id].(*types.Var); ok && isNamed(v.Type(), "Scope") {
						scope{pass, known, v, n}.kept(block)
					}
				}
			}
			return true
		})
	}
	return nil, nil
}

// scope is a parameter of type step.Scope and the function that has it.
type scope struct {
	pass   *analysis.Pass
	values values
	as     *types.Var
	fn     ast.Node
}

// kept reports where the scope leaves its function.
func (s scope) kept(block *ast.BlockStmt) {
	ast.Inspect(block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, value := range n.Rhs {
				if len(n.Lhs) == len(n.Rhs) && s.carries(value) && s.outlives(n.Lhs[i]) && !s.askedOnly(n.Lhs[i]) {
					s.report(value, "is stored beyond its step")
				}
			}
		case *ast.SendStmt:
			if s.carries(n.Value) {
				s.report(n.Value, "is sent to a channel")
			}
		case *ast.GoStmt:
			s.given(n.Call)
			s.usedIn(n.Call.Fun, onAnother)
		case *ast.CallExpr:
			fn, name := callee(s.pass.TypesInfo, n)
			for i, arg := range n.Args {
				where := later[name]
				if fn != nil && runsAt(fn, name, i) == goroutine {
					where = onAnother
				}
				if where != "" && (where != onTheLoop || !s.asksFirst(arg)) {
					s.usedIn(arg, where)
				}
			}
		}
		return true
	})
}

const (
	onAnother = "is used on another goroutine"
	onTheLoop = "is used in a callback of the loop, when its step may have ended"
)

// later names functions, other than those of [runsAt], whose callbacks run when the step may have ended.
var later = map[string]string{
	"(*sync.WaitGroup).Go":                   onAnother,
	"(*golang.org/x/sync/errgroup.Group).Go": onAnother,
	"time.AfterFunc":                         onAnother,
	"context.AfterFunc":                      onAnother,
	"(*tool.Loop).Immediate":                 onTheLoop,
	"(*tool.Loop).Deferred":                  onTheLoop,
	"(tool.Tool).Immediate":                  onTheLoop,
	"(tool.Tool).Deferred":                   onTheLoop,
}

// given reports the scope among the arguments of call, the call of a go statement.
func (s scope) given(call *ast.CallExpr) {
	for _, arg := range call.Args {
		if s.is(arg) {
			s.report(arg, onAnother)
		}
	}
}

// usedIn reports the first use of the scope in a callback.
func (s scope) usedIn(e ast.Expr, where string) {
	done := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !done && s.is(id) {
			done = true
			s.report(id, where)
		}
		return !done
	})
}

func (s scope) report(at ast.Expr, where string) {
	report(s.pass, at.Pos(), "the step.Scope "+s.as.Name()+" "+where)
}

func (s scope) is(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && s.pass.TypesInfo.Uses[id] == s.as
}

// carries reports whether a value is the scope, its address, a struct or a list with it, or a slice to which it is appended.
func (s scope) carries(e ast.Expr) bool { return s.contains(e, map[ast.Expr]bool{}) }

// contains is carries, but returns false for an expression in seen, which was looked at before: a value may contain the variable
// that holds it, as in head = &node{next: head}.
func (s scope) contains(e ast.Expr, seen map[ast.Expr]bool) bool {
	e = s.local(e)
	if seen[e] {
		return false
	}
	seen[e] = true
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return e.Op == token.AND && s.contains(e.X, seen)
	case *ast.CompositeLit:
		return slices.ContainsFunc(e.Elts, func(e ast.Expr) bool {
			if pair, ok := e.(*ast.KeyValueExpr); ok {
				e = pair.Value
			}
			return s.contains(e, seen)
		})
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		if !ok || id.Name != "append" || !s.pass.TypesInfo.Types[id].IsBuiltin() {
			return false
		}
		return slices.ContainsFunc(e.Args[1:], s.is)
	}
	return s.is(e)
}

// local returns the value of e if e is a local variable of the function with one known value, and otherwise e.
func (s scope) local(e ast.Expr) ast.Expr {
	if v := variable(s.pass.TypesInfo, e); v == nil || v.IsField() || !within(v, s.fn) {
		return ast.Unparen(e)
	}
	return s.values.of(s.pass.TypesInfo, e)
}

// outlives reports whether a value that is stored at e can be found after the step: whether e is a variable declared outside of the
// function, memory behind a pointer, or a field or an element of one of these.
func (s scope) outlives(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := s.pass.TypesInfo.ObjectOf(e).(*types.Var)
		return ok && !within(v, s.fn)
	case *ast.SelectorExpr:
		return s.outlives(e.X) || pointer(s.pass.TypesInfo, e.X)
	case *ast.IndexExpr:
		return s.outlives(e.X)
	case *ast.StarExpr:
		return true
	}
	return false
}

func pointer(info *types.Info, e ast.Expr) bool {
	t := info.TypeOf(e)
	return t != nil && isPointer(t)
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func (s scope) asksFirst(callback ast.Expr) bool {
	asks := false
	ast.Inspect(callback, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && s.is(sel.X) && asking[sel.Sel.Name] {
			asks = true
		}
		return !asks
	})
	return asks
}

// asking names the methods that tell whether the step of a scope has ended.
var asking = set("Valid", "Err")

// askedOnly reports whether e is a local variable that is only assigned to, and used to ask whether the scope is valid.
func (s scope) askedOnly(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	kept, ok := s.pass.TypesInfo.ObjectOf(id).(*types.Var)
	if !ok || kept.Parent() == s.pass.Pkg.Scope() {
		return false
	}
	fine := map[*ast.Ident]bool{}
	for _, file := range s.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if id, ok := n.X.(*ast.Ident); ok && asking[n.Sel.Name] {
					fine[id] = true
				}
			case *ast.AssignStmt:
				for _, to := range n.Lhs {
					if id, ok := to.(*ast.Ident); ok {
						fine[id] = true
					}
				}
			}
			return true
		})
	}
	for id, used := range s.pass.TypesInfo.Uses {
		if used == kept && !fine[id] {
			return false
		}
	}
	return true
}
