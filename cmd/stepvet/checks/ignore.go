package checks

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// marker begins the comment that allows a finding. A reason follows it.
const marker = "//stepvet:ignore "

// honourMarkers makes an analyzer silent about lines with a marker, and about
// the lines below a marker that stands alone.
func honourMarkers(a *analysis.Analyzer) *analysis.Analyzer {
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		type line struct {
			file string
			line int
		}
		marked := map[line]bool{}
		for _, file := range pass.Files {
			for _, group := range file.Comments {
				for _, c := range group.List {
					if reason, ok := strings.CutPrefix(c.Text, marker); ok && strings.TrimSpace(reason) != "" {
						at := pass.Fset.Position(c.Pos())
						marked[line{at.Filename, at.Line}] = true
						marked[line{at.Filename, at.Line + 1}] = true
					}
				}
			}
		}
		quiet := *pass
		quiet.Report = func(d analysis.Diagnostic) {
			at := pass.Fset.Position(d.Pos)
			if !marked[line{at.Filename, at.Line}] {
				pass.Report(d)
			}
		}
		return run(&quiet)
	}
	return a
}

// report reports a finding with at most one fix.
func report(pass *analysis.Pass, pos token.Pos, message string, fixes ...analysis.SuggestedFix) {
	pass.Report(analysis.Diagnostic{Pos: pos, Message: message, SuggestedFixes: fixes})
}
