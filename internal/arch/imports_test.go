package arch

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	ruleGraph    = "imports run downwards only; the picture is the table graph of internal/arch"
	ruleUnknown  = "every package has its place in the picture: give it a row in graph of internal/arch"
	ruleForeign  = "code uses the standard library and the packages in foreign, and tests those in testOnly, so that users inherit no other dependency"
	ruleTestOnly = "rapid and go-cmp are for _test.go files and proptest/, so that users inherit no dependency"
	ruleUnsafe   = "unsafe and cgo stay in binval, the library made of it, and the one file that knows where values are: everywhere else memory safety must not need a review"
)

// checkImports checks the imports of a file against graph, foreign, testOnly and unsafeIn.
func checkImports(s *source) []violation {
	var found []violation
	for _, spec := range s.ast.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has reported it
		}
		if rule := s.mayNotImport(imported); rule != "" {
			found = append(found, s.broken(spec, rule, "imports %s", imported))
		}
	}
	if _, known := s.row(); !known && !s.test {
		found = append(found, s.broken(s.ast.Name, ruleUnknown, "package %s is unknown", s.dir))
	}
	return found
}

// mayNotImport returns the rule that an import breaks, or "".
func (s *source) mayNotImport(imported string) string {
	domain, _, _ := strings.Cut(imported, "/")
	own, inside := strings.CutPrefix(imported, modulePath)
	switch {
	case imported == "unsafe" || imported == "C":
		if !s.in(unsafeIn) {
			return ruleUnsafe
		}
	case inside && (own == "" || own[0] == '/'):
		if !s.test && !s.mayUse(strings.TrimPrefix(own, "/")) {
			return ruleGraph
		}
	case slices.ContainsFunc(testOnly, func(m string) bool { return imported == m || strings.HasPrefix(imported, m+"/") }):
		if !s.test && !s.in([]pattern{"proptest/..."}) {
			return ruleTestOnly
		}
	case strings.Contains(domain, ".") && !slices.Contains(foreign, imported):
		return ruleForeign
	}
	return ""
}

func (s *source) mayUse(dir string) bool {
	may, known := s.row()
	if !known {
		return true // checkImports reports it
	}
	return slices.ContainsFunc(may, func(p string) bool {
		return covers(p, dir) || p == public && !strings.Contains("/"+dir, "/internal/")
	})
}

func (s *source) row() (may []string, known bool) {
	for _, row := range graph {
		if covers(row.pkg, s.dir) {
			return row.may, true
		}
	}
	return nil, false
}

// covers reports whether folders, written as in graph, include dir.
func covers(folders, dir string) bool {
	if root, ok := strings.CutSuffix(folders, "/..."); ok {
		return dir == root || strings.HasPrefix(dir, root+"/")
	}
	return dir == folders
}

var majorVersion = regexp.MustCompile(`/v\d+$`)

// localNames returns the names of imported packages in a file, with their import paths.
func (s *source) localNames() map[string]string {
	names := make(map[string]string)
	for _, spec := range s.ast.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(majorVersion.ReplaceAllString(imported, ""))
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = imported
	}
	return names
}

// member returns the import path and the name of a selector like time.Now; ok is false if n isn't one of an imported package.
func member(names map[string]string, n ast.Node) (pkg, name string, ok bool) {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok {
		return "", "", false
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return "", "", false
	}
	pkg, ok = names[id.Name]
	return pkg, sel.Sel.Name, ok
}
