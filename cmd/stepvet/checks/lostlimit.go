package checks

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"
)

// LostLimit reports a call of SetTimeout with the scope of a body of step.Func: that step ends
// when its body returns, and the limit with it. There is no fix: flow.Timeout limits steps from outside.
var LostLimit = honourMarkers(&analysis.Analyzer{
	Name: "lostlimit",
	Doc: `report a limit that ends before it counts

A step of step.Func has ended when its body returns, and a limit can't stop a body while it
runs. So as.SetTimeout does nothing there. Use step.New with sub-steps or a wait, or
flow.Timeout around a step.Await.`,
	URL: guide,
	Run: lostLimit,
})

func lostLimit(pass *analysis.Pass) (any, error) {
	for _, b := range bodies(pass) {
		if b.to != "step.Func" {
			continue
		}
		ast.Inspect(b.block, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if _, name := callee(pass.TypesInfo, call); name != "(step.Scope).SetTimeout" {
				return true
			}
			sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if as := variable(pass.TypesInfo, sel.X); as != nil && within(as, b.node) && !within(as, b.block) { // as is a parameter
				report(pass, call.Pos(), "SetTimeout has no effect here: the step ends when the body of step.Func returns")
			}
			return true
		})
	}
	return nil, nil
}
