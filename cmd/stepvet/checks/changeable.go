package checks

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// changeable finds, in the functions of a package, code that can't be repeated.
type changeable struct {
	pass     *analysis.Pass
	info     *types.Info
	values   values
	declared map[*types.Func]*ast.FuncDecl
	assigned map[*types.Var][]ast.Expr // the values assigned to a variable
	known    map[*types.Func]*changes  // what can't be repeated in a function
	asked    map[*types.Func]bool      // functions that were looked at since the last round of learn began
}

func newChangeable(pass *analysis.Pass) *changeable {
	c := &changeable{
		pass: pass, info: pass.TypesInfo, values: valuesOf(pass), declared: declarations(pass),
		assigned: map[*types.Var][]ast.Expr{}, known: map[*types.Func]*changes{}, asked: map[*types.Func]bool{},
	}
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if len(n.Lhs) == len(n.Rhs) {
					for i := range n.Lhs {
						c.assign(n.Lhs[i], n.Rhs[i])
					}
				}
			case *ast.ValueSpec:
				if len(n.Names) == len(n.Values) {
					for i := range n.Names {
						c.assign(n.Names[i], n.Values[i])
					}
				}
			}
			return true
		})
	}
	return c
}

func (c *changeable) assign(to, value ast.Expr) {
	if id, ok := ast.Unparen(to).(*ast.Ident); ok {
		if v, ok := c.info.ObjectOf(id).(*types.Var); ok {
			c.assigned[v] = append(c.assigned[v], value)
		}
	}
}

// durable returns the plans that this package makes durable.
func (c *changeable) durable() (plans []ast.Expr) {
	for _, file := range c.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 1 {
				if _, name := callee(c.info, call); name == "durable.New" || name == "durable.Also" {
					plans = append(plans, call.Args[1])
				}
			}
			return true
		})
	}
	return plans
}

// learn fills known. The answers for functions that call each other depend on each other. Therefore learn looks at all functions again
// and again, until it learns nothing new.
func (c *changeable) learn() {
	for before := -1; before < len(c.known); {
		before = len(c.known)
		clear(c.asked)
		for fn := range functions(c.pass) {
			c.function(fn)
		}
	}
}

// export makes facts for the packages that import this one.
func (c *changeable) export() {
	for fn, d := range functions(c.pass) {
		if what := c.function(fn); what != nil && fn.Exported() {
			c.pass.ExportObjectFact(fn, what)
		}
		if fn.Exported() && buildsPlan(fn.Signature()) {
			parts := newParts(c)
			parts.build(d.Body)
			c.exportPlan(fn, parts.found)
		}
	}
	scope := c.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		v, ok := scope.Lookup(name).(*types.Var)
		if !ok || !v.Exported() || !builds(v.Type()) {
			continue
		}
		parts := newParts(c)
		parts.variable(v)
		c.exportPlan(v, parts.found)
	}
}

func (c *changeable) exportPlan(o types.Object, found []finding) {
	if len(found) == 0 {
		return
	}
	fact := &holdsChanges{}
	for _, f := range found[:min(len(found), maxPlaces)] {
		at := f.at
		if at == "" {
			p := c.pass.Fset.Position(f.pos)
			at = filepath.Base(p.Filename) + ":" + strconv.Itoa(p.Line)
		}
		fact.Places = append(fact.Places, changePlace{f.what, string(f.class), at})
	}
	c.pass.ExportObjectFact(o, fact)
}

// function returns what can't be repeated in a function of any package, or nil if nothing like that is known.
func (c *changeable) function(fn *types.Func) *changes {
	if fn.Pkg() == nil || trusted(fn.Pkg().Path()) {
		return nil
	}
	d := c.declared[fn]
	if d == nil {
		var fact changes
		if c.pass.ImportObjectFact(fn, &fact) {
			return &fact
		}
		return nil
	}
	if c.known[fn] != nil || c.asked[fn] {
		return c.known[fn]
	}
	c.asked[fn] = true
	if found := c.in(d.Body); len(found) > 0 {
		c.known[fn] = &changes{found[0].what, string(found[0].class)}
	}
	return c.known[fn]
}

// in finds what can't be repeated in a block. It leaves out function literals that are arguments of a call for which keeps reports
// true.
func (c *changeable) in(block ast.Node) (found []finding) {
	add := func(at ast.Node, f finding) {
		f.pos = at.Pos()
		found = append(found, f)
	}
	skipped := map[ast.Node]bool{}
	ast.Inspect(block, func(n ast.Node) bool {
		if skipped[n] {
			return false
		}
		switch n := n.(type) {
		case *ast.GoStmt:
			add(n, finding{what: "a go statement", class: parallel})
			return false
		case *ast.RangeStmt:
			for _, to := range c.spills(n, block) {
				add(n, finding{what: theOrder, into: to, class: mapOrder})
			}
		case *ast.Ident, *ast.SelectorExpr:
			if f, ok := c.leads(n.(ast.Expr)); ok {
				add(n, f)
				return false
			}
		case *ast.CallExpr:
			if to := c.unsorted(n, block); to != "" {
				add(n, finding{what: theOrder, into: to, class: mapOrder})
			}
			if f, ok := c.call(n); ok {
				add(n, f)
			}
			for _, arg := range n.Args {
				if _, ok := ast.Unparen(arg).(*ast.FuncLit); ok && c.keeps(n) {
					skipped[arg] = true
				}
			}
		}
		return true
	})
	return found
}

// keeps reports whether in leaves out the function literals among the arguments of a call: if the call is one of the library, parts
// looks at those that are bodies; if it is one of sync.Once, sync.OnceFunc and the like, they run only once.
func (c *changeable) keeps(call *ast.CallExpr) bool {
	fn, name := callee(c.info, call)
	return fn != nil && fn.Pkg() != nil && (trusted(fn.Pkg().Path()) || name == "(*sync.Once).Do" || strings.HasPrefix(name, "sync.Once"))
}

func (c *changeable) call(call *ast.CallExpr) (f finding, ok bool) {
	if fn, name := callee(c.info, call); fn != nil {
		return c.of(fn, name)
	}
	if b := builtin(c.info, call); b == "print" || b == "println" {
		return finding{what: b, class: effect}, true
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return f, false
	}
	fn, name := named(c.info, c.values.of(c.info, id))
	if fn == nil {
		return f, false
	}
	f, ok = c.of(fn, name)
	f.via = id.Name
	return f, ok
}

func (c *changeable) of(fn *types.Func, name string) (f finding, ok bool) {
	if why := classOf(name); why != "" {
		return finding{what: name, class: why}, true
	}
	if inner := c.function(fn); inner != nil {
		return finding{what: inner.What, via: fn.Name(), class: class(inner.Class)}, true
	}
	return f, false
}

// leads returns a finding if e is one of the variables of outside, such as os.Stdout, or a package-level variable to which this
// package assigns one of them.
func (c *changeable) leads(e ast.Expr) (f finding, ok bool) {
	v := variable(c.info, e)
	if v == nil || v.Pkg() == nil || v.IsField() || v.Parent() != v.Pkg().Scope() {
		return f, false
	}
	for _, of := range append([]ast.Expr{e}, c.assigned[v]...) {
		if to := variable(c.info, of); to != nil && to.Pkg() != nil {
			name := to.Pkg().Path() + "." + to.Name()
			if why := outside[name]; why != "" {
				return finding{what: name, class: why}, true
			}
		}
	}
	return f, false
}

func buildsPlan(sig *types.Signature) bool {
	for r := range sig.Results().Variables() {
		if builds(r.Type()) {
			return true
		}
	}
	return false
}
