package arch

import (
	"go/ast"
	"slices"
)

const (
	ruleGo      = "goroutines are started by tool, for the await step, and in the other places in goIn only: everything else runs on the loop, so it needs no locks and leaks nothing"
	ruleClock   = "time is injected: only tool and the other places in clockIn read the clock and arm timers, so that tests run in virtual time"
	ruleRecover = "panics are caught in internal/frame, tool and the other places in recoverIn only, where they become errors that keep value and stack, or come from errors of others"
	ruleSleep   = "tests don't sleep: use tooltest's virtual time, or testing/synctest, where Sleep costs nothing"
	ruleRand    = "tests draw from a source of their own, as in rand.New(rand.NewPCG(1, 2)), so that they do the same every time"
	ruleLines   = "a file has one idea: split it"
	ruleDot     = "dot imports hide where a name comes from, from readers and from these tests"
)

// checkSource checks the code of a file against the rules about goroutines, recover, clocks and others.
func checkSource(s *source) []violation {
	var found []violation
	names := s.localNames()
	sleeps := s.test && !imports(names, "testing/synctest")
	ast.Inspect(s.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			if !s.test && !s.in(goIn) {
				found = append(found, s.broken(n, ruleGo, "go statement"))
			}
		case *ast.CallExpr:
			if !s.test && !s.in(recoverIn) && isIdent(n.Fun, "recover") {
				found = append(found, s.broken(n, ruleRecover, "calls recover"))
			}
			if !s.test && !s.in(goIn) && startsGoroutine(names, n) {
				found = append(found, s.broken(n, ruleGo, "starts a goroutine by a method Go"))
			}
		case *ast.SelectorExpr:
			pkg, name, ok := member(names, n)
			if !ok {
				break
			}
			if !s.test && !s.in(clockIn) && slices.Contains(clock[pkg], name) {
				found = append(found, s.broken(n, ruleClock, "uses %s.%s", pkg, name))
			}
			if sleeps && pkg == "time" && name == "Sleep" {
				found = append(found, s.broken(n, ruleSleep, "uses time.Sleep"))
			}
			if s.test && (pkg == "math/rand" || pkg == "math/rand/v2") && !slices.Contains(seeded, name) {
				found = append(found, s.broken(n, ruleRand, "uses rand.%s", name))
			}
		case *ast.ImportSpec:
			if n.Name != nil && n.Name.Name == "." {
				found = append(found, s.broken(n, ruleDot, "imports %s with a dot", n.Path.Value))
			}
		}
		return true
	})
	most := maxLines
	if s.in([]pattern{"internal/frame/*.go"}) && !s.test {
		most = machineLines
	}
	if s.lines > most && !ast.IsGenerated(s.ast) {
		found = append(found, s.broken(s.ast.Name, ruleLines, "%d lines, the ceiling is %d", s.lines, most))
	}
	return found
}

func imports(names map[string]string, pkg string) bool {
	for _, imported := range names {
		if imported == pkg {
			return true
		}
	}
	return false
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// startsGoroutine reports whether a call is x.Go(…) as of sync.WaitGroup and errgroup.Group, and not of a package's function.
func startsGoroutine(names map[string]string, call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Go" || len(call.Args) != 1 { // flow.Tasks.Go starts none, and has two arguments
		return false
	}
	_, _, function := member(names, sel)
	return !function
}
