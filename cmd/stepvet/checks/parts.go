package checks

import (
	"go/ast"
	"go/types"
)

// parts goes through the visible parts of a plan, and finds what can't be repeated.
type parts struct {
	*changeable

	found []finding
	seen  map[any]bool // blocks, variables and expressions looked at before
}

func newParts(c *changeable) *parts { return &parts{changeable: c, seen: map[any]bool{}} }

// expr looks at an expression for a plan or a part of one.
func (p *parts) expr(e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		p.body(e.Body)
	case *ast.Ident:
		p.name(e, e)
	case *ast.SelectorExpr:
		p.name(e, e.Sel)
	case *ast.CallExpr:
		p.call(e)
	case *ast.CompositeLit:
		for _, element := range e.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				element = pair.Value
			}
			p.expr(element)
		}
	case *ast.UnaryExpr:
		p.expr(e.X)
	case *ast.IndexExpr:
		p.expr(e.X)
	case *ast.IndexListExpr:
		p.expr(e.X)
	}
}

// name looks at the plan or body that a name stands for.
func (p *parts) name(at ast.Expr, id *ast.Ident) {
	switch o := p.info.Uses[id].(type) {
	case *types.Func:
		p.bodyOf(at, o)
	case *types.Var:
		if o.Pkg() == p.pass.Pkg {
			p.variable(o)
			return
		}
		p.imported(at, o)
	}
}

func (p *parts) bodyOf(at ast.Expr, fn *types.Func) {
	fn, name := fullName(fn)
	if d := p.declared[fn]; d != nil {
		p.body(d.Body)
		return
	}
	if f, ok := p.of(fn, name); ok {
		f.pos = at.Pos()
		p.found = append(p.found, f)
	}
}

// variable looks at the values assigned to a variable which isn't a field.
func (p *parts) variable(v *types.Var) {
	if v.IsField() || p.seen[v] {
		return
	}
	p.seen[v] = true
	for _, value := range p.assigned[v] {
		if _, isFunc := ast.Unparen(value).(*ast.FuncLit); isFunc && returnsPlan(v.Type()) {
			p.build(value)
			continue
		}
		p.expr(value)
	}
}

func returnsPlan(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && buildsPlan(sig)
}

// imported adds the findings for o, which is a plan of another package or a function there that builds a plan.
func (p *parts) imported(at ast.Expr, o types.Object) {
	var fact holdsChanges
	if o.Pkg() == nil || !p.pass.ImportObjectFact(o, &fact) {
		return
	}
	for _, place := range fact.Places {
		p.found = append(p.found, finding{pos: at.Pos(), what: place.What, at: place.At, class: class(place.Class)})
	}
}

// call looks at a call that returns a plan or a part of one.
func (p *parts) call(call *ast.CallExpr) {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		p.expr(sel.X) // plan.Then(…)
	}
	fn, name := callee(p.info, call)
	ofLibrary := fn != nil && fn.Pkg() != nil && trusted(fn.Pkg().Path())
	for i, arg := range call.Args {
		_, isFunc := p.info.TypeOf(arg).Underlying().(*types.Signature)
		switch {
		case isFunc && !ofLibrary: // how the call uses the function isn't known
		case isFunc && runsAt(fn, name, i) == goroutine:
		case isFunc && name == "flow.Graph":
			p.build(arg)
		default:
			p.expr(arg)
		}
	}
	switch {
	case fn == nil:
		p.literal(call)
	case ofLibrary:
	case p.declared[fn] != nil:
		if buildsPlan(fn.Signature()) {
			p.build(p.declared[fn].Body)
		}
	default:
		p.imported(call.Fun, fn)
	}
}

// literal looks at the call of a function literal that builds a plan. The literal is written in place or held by a variable.
func (p *parts) literal(call *ast.CallExpr) {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.FuncLit:
		p.build(f.Body)
	case *ast.Ident:
		if v, ok := p.info.Uses[f].(*types.Var); ok && returnsPlan(v.Type()) {
			p.variable(v)
		}
	}
}

// build looks at code that builds a plan. The code isn't repeated, but what it builds is.
func (p *parts) build(code ast.Node) {
	if p.seen[code] {
		return
	}
	p.seen[code] = true
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			p.expr(n)
			return false
		case *ast.Ident:
			if v, ok := p.info.Uses[n].(*types.Var); ok && builds(v.Type()) {
				p.name(n, n)
			}
		case *ast.SelectorExpr:
			if v, ok := p.info.Uses[n.Sel].(*types.Var); ok && builds(v.Type()) {
				p.name(n, n.Sel)
			}
		}
		return true
	})
}

// body looks at a function that is repeated, and at the plans that it enters.
func (p *parts) body(block *ast.BlockStmt) {
	if p.seen[block] {
		return
	}
	p.found = append(p.found, p.in(block)...)
	p.build(block)
	ast.Inspect(block, func(n ast.Node) bool { // the functions that the body calls may enter plans as well
		if call, ok := n.(*ast.CallExpr); ok {
			if fn, _ := callee(p.info, call); fn != nil && p.declared[fn] != nil {
				p.build(p.declared[fn].Body)
			}
		}
		return true
	})
}
