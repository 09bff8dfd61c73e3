package checks

import (
	"go/ast"
	"go/token"
	"go/types"
)

// ready reports whether a receive from ch in block is taken not to block: block has closed the channel before, or ch is a variable of
// block with a buffer that no other code sees.
func (l *blockers) ready(ch ast.Expr, block ast.Node) bool {
	v := variable(l.info, ch)
	return v != nil && (l.closed(v, block, ch.Pos()) || l.room[v] && within(v, block) && !l.shown(v, block))
}

// closed reports whether block closes the channel of v before the given position, other than in a defer or go statement or in a
// function literal.
func (l *blockers) closed(v *types.Var, block ast.Node, at token.Pos) bool {
	found := false
	ast.Inspect(block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt, *ast.GoStmt, *ast.FuncLit:
			return n == block
		case *ast.CallExpr:
			found = found || builtin(l.info, n) == "close" && n.End() <= at && variable(l.info, n.Args[0]) == v
		}
		return !found
	})
	return found
}

// shown reports whether code other than block may use the channel of v: it is stored, passed on, or used on another goroutine.
func (l *blockers) shown(v *types.Var, block ast.Node) bool {
	own := map[ast.Node]bool{} // nodes by which the variable doesn't escape: operands of channel operations, and targets of assignments
	shown := false
	ast.Inspect(block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			shown = shown || uses(l.info, n, v)
		case *ast.SendStmt:
			own[ast.Unparen(n.Chan)] = true
		case *ast.UnaryExpr:
			own[ast.Unparen(n.X)] = own[ast.Unparen(n.X)] || n.Op == token.ARROW
		case *ast.RangeStmt:
			own[ast.Unparen(n.X)] = true
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				own[ast.Unparen(to)] = true
			}
		case *ast.CallExpr:
			_, name := callee(l.info, n)
			for _, arg := range n.Args {
				own[ast.Unparen(arg)] = own[ast.Unparen(arg)] || looks[builtin(l.info, n)]
				shown = shown || later[name] == onAnother && uses(l.info, arg, v)
			}
		case *ast.Ident:
			shown = shown || l.info.Uses[n] == v && !own[n]
		}
		return !shown
	})
	return shown
}

// looks names the builtin functions to which a channel can be passed without escaping.
var looks = set("close", "len", "cap")

// builtin returns the name of the builtin function that is called, or "".
func builtin(info *types.Info, call *ast.CallExpr) string {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && info.Types[id].IsBuiltin() {
		return id.Name
	}
	return ""
}

func uses(info *types.Info, n ast.Node, v *types.Var) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && info.Uses[id] == v
		return !found
	})
	return found
}
