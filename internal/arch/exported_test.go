package arch

import (
	"cmp"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

const ruleUntyped = "types reach end to end: no any in what is exported; exceptions stand in the table untyped of internal/arch"

var typedNot = []pattern{"internal/...", "examples/...", "proptest/..."}

// checkExported finds any and interface{} in exported signatures, fields and variables. It allows constraints of type parameters.
func checkExported(s *source) []violation {
	if s.test || s.in(typedNot) {
		return nil
	}
	var found []violation
	exported(s, func(name string, declared ast.Node, _ *ast.CommentGroup) {
		if n := untypedIn(declared); n != nil && !allowed(s.dir+"."+name) {
			found = append(found, s.broken(n, ruleUntyped, "%s.%s has an untyped value", s.dir, name))
		}
	})
	return found
}

// exported visits the exported functions and types of a file, and variables that are declared with a type, with their comments.
// It visits exported fields and methods of a type one by one, so that an exception can name one of them.
func exported(s *source, visit func(name string, declared ast.Node, doc *ast.CommentGroup)) {
	for _, decl := range s.ast.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if name, ok := exportedFunc(d); ok {
				visit(name, d.Type, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				exportedSpec(spec, d, visit)
			}
		}
	}
}

func exportedSpec(spec ast.Spec, d *ast.GenDecl, visit func(string, ast.Node, *ast.CommentGroup)) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() {
			exportedType(spec.Name.Name, spec.Type, cmp.Or(spec.Doc, d.Doc), visit)
		}
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if name.IsExported() && d.Tok == token.VAR && spec.Type != nil {
				visit(name.Name, spec.Type, cmp.Or(spec.Doc, d.Doc))
			}
		}
	}
}

func exportedType(name string, t ast.Expr, doc *ast.CommentGroup, visit func(string, ast.Node, *ast.CommentGroup)) {
	fields := fieldsOf(t)
	if fields == nil {
		visit(name, t, doc)
		return
	}
	for _, field := range fields.List {
		if len(field.Names) == 0 {
			visit(name, field.Type, doc)
		}
		for _, id := range field.Names {
			if id.IsExported() {
				visit(name+"."+id.Name, field.Type, field.Doc)
			}
		}
	}
}

// exportedFunc returns "Func" or "Type.Method"; ok is false if the function or its type isn't exported.
func exportedFunc(d *ast.FuncDecl) (string, bool) {
	if !d.Name.IsExported() {
		return "", false
	}
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name, true
	}
	receiver := d.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
		case *ast.IndexExpr:
			receiver = t.X
		case *ast.IndexListExpr:
			receiver = t.X
		case *ast.Ident:
			return t.Name + "." + d.Name.Name, t.IsExported()
		default:
			return "", false
		}
	}
}

// untypedIn returns the first any or interface{} in a declaration, or nil.
func untypedIn(declared ast.Node) ast.Node {
	var found ast.Node
	ast.Inspect(declared, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			// TypeParams, with the constraints, are left out.
			for _, list := range []*ast.FieldList{n.Params, n.Results} {
				if list == nil {
					continue
				}
				for _, field := range list.List {
					if inner := untypedIn(field.Type); inner != nil && found == nil {
						found = inner
					}
				}
			}
			return false
		case *ast.Ident:
			if n.Name == "any" && found == nil {
				found = n
			}
		case *ast.InterfaceType:
			if len(n.Methods.List) == 0 && found == nil {
				found = n
			}
		}
		return found == nil
	})
	return found
}

func allowed(name string) bool {
	return slices.ContainsFunc(untyped, func(row struct{ name, reason string }) bool {
		ok, _ := path.Match(row.name, strings.ReplaceAll(name, "/", "."))
		return ok
	})
}

// fieldsOf returns the fields of a struct or the methods of an interface; nil for other types.
func fieldsOf(t ast.Expr) *ast.FieldList {
	switch t := t.(type) {
	case *ast.StructType:
		return t.Fields
	case *ast.InterfaceType:
		return t.Methods
	default:
		return nil
	}
}
