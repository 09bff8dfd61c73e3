package arch

import (
	"go/ast"
	"path"
	"strconv"
	"strings"
)

const ruleInternal = "a function or method with a type of an internal package says in its comment that it isn't for programs"

// notForPrograms must stand in the comment of an exported name whose signature has a type of an internal package.
const notForPrograms = "isn't for programs"

// checkInternalTypes finds exported functions and methods with a type of an internal package in their signature whose comments
// don't say so.
func checkInternalTypes(s *source) []violation {
	if s.test || s.in(typedNot) || strings.Contains(s.dir, "/internal/") {
		return nil
	}
	inner := make(map[string]bool) // the file's names for internal packages
	for _, spec := range s.ast.Imports {
		if p, _ := strconv.Unquote(spec.Path.Value); strings.Contains(p, "/internal/") {
			name := path.Base(p)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			inner[name] = true
		}
	}
	var found []violation
	exported(s, func(name string, declared ast.Node, doc *ast.CommentGroup) {
		if f, ok := declared.(*ast.FuncType); ok && mentions(f, inner) && !strings.Contains(doc.Text(), notForPrograms) {
			found = append(found, s.broken(f, ruleInternal, "%s.%s doesn't say it", s.dir, name))
		}
	})
	return found
}

func mentions(t *ast.FuncType, packages map[string]bool) (found bool) {
	ast.Inspect(t, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && packages[id.Name] {
				found = true
			}
		}
		return !found
	})
	return found
}
