package arch

import (
	"go/ast"
	"path"
	"strconv"
	"strings"
)

const ruleInternal = "a function or method with a type of an internal package says in its comment that it isn't for programs"

// notForPrograms is what the comment says.
const notForPrograms = "isn't for programs"

// checkInternalTypes finds exported functions and methods that have a type of an internal package in their signature, and don't
// say so.
func checkInternalTypes(s *source) []violation {
	if s.test || s.in(typedNot) || strings.Contains(s.dir, "/internal/") {
		return nil
	}
	inner := make(map[string]bool) // names of internal packages in this file
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
	check := func(name string, t *ast.FuncType, doc *ast.CommentGroup) {
		if mentions(t, inner) && !strings.Contains(doc.Text(), notForPrograms) {
			found = append(found, s.broken(t, ruleInternal, "%s.%s doesn't say it", s.dir, name))
		}
	}
	for _, decl := range s.ast.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if name, ok := exportedFunc(d); ok {
				check(name, d.Type, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				checkMethods(spec, check)
			}
		}
	}
	return found
}

// checkMethods checks the exported methods of an exported interface.
func checkMethods(spec ast.Spec, check func(string, *ast.FuncType, *ast.CommentGroup)) {
	t, ok := spec.(*ast.TypeSpec)
	if !ok || !t.Name.IsExported() {
		return
	}
	face, ok := t.Type.(*ast.InterfaceType)
	if !ok {
		return
	}
	for _, m := range face.Methods.List {
		if f, ok := m.Type.(*ast.FuncType); ok && m.Names[0].IsExported() {
			check(t.Name.Name+"."+m.Names[0].Name, f, m.Doc)
		}
	}
}

// mentions reports whether t has a type of one of the packages.
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
