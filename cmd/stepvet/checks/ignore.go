package checks

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// marker begins the comment that allows a finding. A reason follows it.
const marker = "//stepvet:ignore "

// honourMarkers makes an analyzer silent about lines with a marker, and about the line below a marker that stands alone.
func honourMarkers(a *analysis.Analyzer) *analysis.Analyzer {
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		type line struct {
			file string
			line int
		}
		marked := map[line]bool{}
		for _, file := range pass.Files {
			var code map[int]bool // made for the first marker
			for _, group := range file.Comments {
				for _, c := range group.List {
					if reason, ok := strings.CutPrefix(c.Text, marker); ok && strings.TrimSpace(reason) != "" {
						if code == nil {
							code = codeLines(pass.Fset, file)
						}
						at := pass.Fset.Position(c.Pos())
						marked[line{at.Filename, at.Line}] = true
						if !code[pass.Fset.PositionFor(c.Pos(), false).Line] {
							marked[line{at.Filename, at.Line + 1}] = true
						}
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

// codeLines returns the lines of a file on which a syntax node other than a comment begins or ends.
func codeLines(fset *token.FileSet, file *ast.File) map[int]bool {
	code := map[int]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil:
			return false
		case *ast.CommentGroup:
			return false
		}
		code[fset.PositionFor(n.Pos(), false).Line] = true
		code[fset.PositionFor(n.End(), false).Line] = true
		return true
	})
	return code
}

func report(pass *analysis.Pass, pos token.Pos, message string, fixes ...analysis.SuggestedFix) {
	pass.Report(analysis.Diagnostic{Pos: pos, Message: message, SuggestedFixes: fixes})
}
