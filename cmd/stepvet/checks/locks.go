package checks

import (
	"go/ast"
	"go/token"
	"go/types"
)

// locking maps the methods that take a lock to those that give it back.
var locking = map[string]string{
	"(*sync.Mutex).Lock":    "(*sync.Mutex).Unlock",
	"(*sync.RWMutex).Lock":  "(*sync.RWMutex).Unlock",
	"(*sync.RWMutex).RLock": "(*sync.RWMutex).RUnlock",
}

// receiver returns the variable or field whose method is called: mu of s.mu.Lock().
func receiver(info *types.Info, call *ast.CallExpr) *types.Var {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	return variable(info, sel.X)
}

// unlocks reports whether a block calls the method by of a lock, directly or in a defer statement.
func (l *blockers) unlocks(block ast.Node, lock *types.Var, by string) bool {
	found := false
	ast.Inspect(block, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			_, name := callee(l.info, call)
			found = found || name == by && receiver(l.info, call) == lock
		}
		return !found
	})
	return found
}

// holds records the locks that are held while code in block blocks: something that blocks stands between Lock and Unlock, or behind
// Lock if Unlock is deferred or missing. Function literals in block are looked at on their own.
func (l *blockers) holds(block *ast.BlockStmt) {
	ast.Inspect(block, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			l.holds(lit.Body)
			return false
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		_, name := callee(l.info, call)
		lock := receiver(l.info, call)
		if locking[name] == "" || lock == nil {
			return true
		}
		end := l.unlockedAt(block, call, lock, locking[name])
		for _, found := range l.in(block) {
			if call.End() <= found.at.Pos() && found.at.Pos() < end {
				l.slow[lock] = true
			}
		}
		return true
	})
}

// unlockedAt returns where the lock that call takes is given back: at the first Unlock behind call that isn't deferred, or at the
// end of the block.
func (l *blockers) unlockedAt(block *ast.BlockStmt, call *ast.CallExpr, lock *types.Var, by string) token.Pos {
	end := block.End()
	ast.Inspect(block, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt, *ast.FuncLit:
			return false
		case *ast.CallExpr:
			_, name := callee(l.info, n)
			if name == by && receiver(l.info, n) == lock && call.End() <= n.Pos() {
				end = min(end, n.Pos())
			}
		}
		return true
	})
	return end
}
