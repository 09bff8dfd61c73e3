package checks

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// theOrder names findings about maps.
const theOrder = "the order of a map"

// spills returns the names of what depends on the order in which loop goes through a map. These are variables outside of the loop
// to which the loop appends, or adds text or floats, unless block sorts them; buffers to which the loop writes; and the result of
// the function. Sums of integers, entries of maps and the largest value don't depend on the order.
func (c *changeable) spills(loop *ast.RangeStmt, block ast.Node) (to []string) {
	if !c.overMap(loop.X) {
		return nil
	}
	add := func(name string) {
		if !slices.Contains(to, name) {
			to = append(to, name)
		}
	}
	var chosen []ast.Node // blocks that are executed for one key or value only
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.IfStmt:
			if c.choosesOne(n.Cond, loop) {
				chosen = append(chosen, n.Body)
			}
		case *ast.AssignStmt:
			if v := c.gathers(n, loop); v != nil && !c.sorted(v, block) {
				add(v.Name())
			}
		case *ast.CallExpr:
			if v := c.writes(n, loop); v != nil {
				add(v.Name())
			}
		case *ast.ReturnStmt:
			for _, one := range chosen {
				if one.Pos() <= n.Pos() && n.End() <= one.End() {
					return true
				}
			}
			for _, result := range n.Results {
				if c.mentions(result, loop) {
					add("the result")
				}
			}
		}
		return true
	})
	return to
}

// overMap reports whether e gives its elements in an undefined order: it is a map, or an iterator of package maps.
func (c *changeable) overMap(e ast.Expr) bool {
	if _, ok := c.info.TypeOf(e).Underlying().(*types.Map); ok {
		return true
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	_, name := callee(c.info, call)
	return name == "maps.Keys" || name == "maps.Values" || name == "maps.All"
}

// unsorted returns the name of the function that is called, if it gathers the elements of an iterator of package maps and block
// doesn't sort the result; otherwise "".
func (c *changeable) unsorted(call *ast.CallExpr, block ast.Node) string {
	_, name := callee(c.info, call)
	if name != "slices.Collect" && name != "slices.AppendSeq" || !c.overMap(call.Args[len(call.Args)-1]) {
		return ""
	}
	sorted := false
	ast.Inspect(block, func(n ast.Node) bool { // names := slices.Collect(…), sorted later
		if s, ok := n.(*ast.AssignStmt); ok && len(s.Lhs) == len(s.Rhs) {
			for i, value := range s.Rhs {
				if ast.Unparen(value) == call {
					v := variable(c.info, s.Lhs[i])
					sorted = v != nil && c.sorted(v, block)
				}
			}
		}
		return true
	})
	if sorted {
		return ""
	}
	return name
}

// choosesOne reports whether a condition compares a variable of the loop by ==. Then it is taken to hold for one key or value only.
func (c *changeable) choosesOne(cond ast.Expr, loop *ast.RangeStmt) (one bool) {
	ast.Inspect(cond, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok && b.Op == token.EQL && c.mentions(b, loop) {
			one = true
		}
		return true
	})
	return one
}

// gathers returns the variable outside of the loop to which an assignment appends something of the loop, or adds it as text or as a
// float; nil if there is none.
func (c *changeable) gathers(s *ast.AssignStmt, loop *ast.RangeStmt) *types.Var {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 || !c.mentions(s.Rhs[0], loop) {
		return nil
	}
	v := c.outside(s.Lhs[0], loop)
	if v == nil {
		return nil
	}
	if s.Tok == token.ADD_ASSIGN {
		basic, ok := v.Type().Underlying().(*types.Basic)
		if ok && basic.Info()&(types.IsString|types.IsFloat|types.IsComplex) != 0 {
			return v
		}
		return nil
	}
	call, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr)
	if ok && builtin(c.info, call) == "append" && variable(c.info, call.Args[0]) == v {
		return v
	}
	return nil
}

// writes returns the strings.Builder, the bytes.Buffer or the writer of a fmt.Fprint that a call writes to, if it is declared
// outside of the loop and an argument mentions a variable of the loop; otherwise nil.
func (c *changeable) writes(call *ast.CallExpr, loop *ast.RangeStmt) *types.Var {
	_, name := callee(c.info, call)
	var to ast.Expr
	switch {
	case name == "(*bytes.Buffer).WriteTo":
		return nil // it reads from the buffer
	case strings.HasPrefix(name, "(*strings.Builder).Write") || strings.HasPrefix(name, "(*bytes.Buffer).Write"):
		to = ast.Unparen(call.Fun).(*ast.SelectorExpr).X
	case strings.HasPrefix(name, "fmt.Fprint"):
		if to = ast.Unparen(call.Args[0]); to != nil {
			if address, ok := to.(*ast.UnaryExpr); ok {
				to = address.X
			}
		}
	default:
		return nil
	}
	v := c.outside(to, loop)
	if v == nil {
		return nil
	}
	for _, arg := range call.Args {
		if c.mentions(arg, loop) {
			return v
		}
	}
	return nil
}

// outside returns the variable or field that e names. It returns nil if e names none, or if it belongs to one iteration of the loop:
// a variable of the loop, or a field of what that variable holds or points to. Memory behind an index, a call or a pointer in a
// field counts as outside, because several elements may share it.
func (c *changeable) outside(e ast.Expr, loop *ast.RangeStmt) *types.Var {
	v := variable(c.info, e)
	if v == nil || within(v, loop) {
		return nil
	}
	for {
		x, ok := ast.Unparen(e).(*ast.SelectorExpr)
		if !ok {
			break
		}
		e = x.X
		if field := variable(c.info, e); field != nil && field.IsField() {
			if _, pointer := field.Type().Underlying().(*types.Pointer); pointer {
				return v
			}
		}
	}
	if root := variable(c.info, e); root != nil && within(root, loop) {
		return nil
	}
	return v
}

// mentions reports whether e mentions a variable that is declared in the loop.
func (c *changeable) mentions(e ast.Expr, loop *ast.RangeStmt) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := c.info.Uses[id].(*types.Var); ok && !v.IsField() && within(v, loop) {
				found = true
			}
		}
		return true
	})
	return found
}

// sorted reports whether block seems to sort v: it calls a function with v in an argument or as the receiver, and the full name of the
// function has "ort" in it, as in sort.Strings and slices.Sort.
func (c *changeable) sorted(v *types.Var, block ast.Node) (found bool) {
	ast.Inspect(block, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if _, name := callee(c.info, call); !strings.Contains(name, "ort") {
			return true
		}
		for _, arg := range call.Args {
			ast.Inspect(arg, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && c.info.Uses[id] == v {
					found = true
				}
				return true
			})
		}
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && variable(c.info, sel.X) == v {
			found = true
		}
		return true
	})
	return found
}
