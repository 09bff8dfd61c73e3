package checks

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/ssa"
)

// DroppedNext reports a call whose result, a step.Next, isn't returned, such as a call of step.Fail or loopx.Break. The call is a
// statement of its own, or stands in a go or defer statement, or its result is assigned to _ or to a variable from which it is never
// read. The fix puts a return before a call that is a statement of its own, if the function around the call returns such a Next.
// There is no fix in the header of an if, a switch or a for.
var DroppedNext = honourMarkers(&analysis.Analyzer{
	Name: "droppednext",
	Doc: `report a step.Next that isn't returned

step.Fail, step.Into, loopx.Break and the like do nothing by themselves: only
the Next that a body or a handler returns counts. Without the return an error
is lost, and the step succeeds with the zero value.`,
	URL:      guide,
	Requires: []*analysis.Analyzer{buildssa.Analyzer},
	Run:      droppedNext,
})

const guide = "https://github.com/futoin-go/asyncsteps/blob/main/docs/guide/vet.md"

func droppedNext(pass *analysis.Pass) (any, error) {
	unread := unreadNexts(pass)
	for _, file := range pass.Files {
		var around []ast.Node // the nodes from the file down to n
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				around = around[:len(around)-1]
				return true
			}
			around = append(around, n)
			switch n := n.(type) {
			case *ast.ExprStmt:
				if call, ok := ast.Unparen(n.X).(*ast.CallExpr); ok {
					dropped(pass, call, around)
				}
			case *ast.AssignStmt:
				if len(n.Lhs) == len(n.Rhs) {
					for _, value := range n.Rhs {
						overwritten(pass, value, unread)
					}
				}
			case *ast.ValueSpec:
				for _, value := range n.Values {
					overwritten(pass, value, unread)
				}
			case *ast.GoStmt:
				dropped(pass, n.Call, nil)
			case *ast.DeferStmt:
				dropped(pass, n.Call, nil)
			}
			return true
		})
	}
	return nil, nil
}

// unreadNexts returns the opening parentheses of calls whose result is a Next that nobody reads.
func unreadNexts(pass *analysis.Pass) map[token.Pos]bool {
	unread := map[token.Pos]bool{}
	built := pass.ResultOf[buildssa.Analyzer].(*buildssa.SSA)
	for _, fn := range built.SrcFuncs {
		unreadIn(fn, unread)
	}
	if fn := built.Pkg.Func("init"); fn != nil {
		literals(fn, unread) // init has the function literals in variables of the package
	}
	return unread
}

func literals(fn *ssa.Function, unread map[token.Pos]bool) {
	for _, lit := range fn.AnonFuncs {
		unreadIn(lit, unread)
		literals(lit, unread)
	}
}

func unreadIn(fn *ssa.Function, unread map[token.Pos]bool) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if call, ok := i.(*ssa.Call); ok && isNamed(call.Type(), "Next") && len(*call.Referrers()) == 0 {
				unread[call.Pos()] = true
			}
		}
	}
}

// overwritten reports value if it is a call whose result, a Next, is assigned and never read.
func overwritten(pass *analysis.Pass, value ast.Expr, unread map[token.Pos]bool) {
	if call, ok := ast.Unparen(value).(*ast.CallExpr); ok && unread[call.Lparen] {
		report(pass, call.Pos(), maker(pass, call)+" makes a step.Next that isn't returned: it is assigned, but never read")
	}
}

func maker(pass *analysis.Pass, call *ast.CallExpr) string {
	if _, name := callee(pass.TypesInfo, call); name != "" {
		return name
	}
	return "the call"
}

// dropped reports call if its result is a Next. around has the nodes from the file down to the statement; it is nil where no
// return can be inserted.
func dropped(pass *analysis.Pass, call *ast.CallExpr, around []ast.Node) {
	made := pass.TypesInfo.TypeOf(call)
	if made == nil || !isNamed(made, "Next") {
		return
	}
	var fixes []analysis.SuggestedFix
	if returns(pass.TypesInfo, around, made) && listed(around[len(around)-2]) {
		s := around[len(around)-1]
		edits := []analysis.TextEdit{{Pos: s.Pos(), End: s.Pos(), NewText: []byte("return ")}}
		if bare := bareReturnAfter(around); bare != nil {
			edits = append(edits, analysis.TextEdit{Pos: s.End(), End: bare.End()})
		}
		fixes = append(fixes, analysis.SuggestedFix{Message: "return it", TextEdits: edits})
	}
	report(pass, call.Pos(), maker(pass, call)+" makes a step.Next that isn't returned: it has no effect", fixes...)
}

// returns reports whether the innermost function in around has a single result, of the given type.
func returns(info *types.Info, around []ast.Node, made types.Type) bool {
	for _, n := range slices.Backward(around) {
		var of types.Type
		switch fn := n.(type) {
		case *ast.FuncLit:
			of = info.TypeOf(fn)
		case *ast.FuncDecl:
			of = info.TypeOf(fn.Name)
		default:
			continue
		}
		sig, ok := of.(*types.Signature)
		return ok && sig.Results().Len() == 1 && types.Identical(sig.Results().At(0).Type(), made)
	}
	return false
}

// bareReturnAfter returns the return statement without values that directly follows the last statement of around in a block in
// braces, or nil. The fix removes that return statement.
func bareReturnAfter(around []ast.Node) *ast.ReturnStmt {
	if len(around) < 2 {
		return nil
	}
	block, ok := around[len(around)-2].(*ast.BlockStmt)
	if !ok {
		return nil
	}
	for i, s := range block.List {
		if s == around[len(around)-1] && i+1 < len(block.List) {
			if r, ok := block.List[i+1].(*ast.ReturnStmt); ok && r.Results == nil {
				return r
			}
		}
	}
	return nil
}
