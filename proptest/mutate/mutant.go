package main

import (
	"fmt"
	"go/ast"
	gobuild "go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

type mutant struct {
	file     string
	line     int
	function string
	from, to int    // the bytes that are replaced
	old, new string // the replaced text, and the new text for messages
	form     string // the format of the new text; its argument is the switch
	build    int    // the number of its build; below zero if it wasn't chosen or doesn't compile
	place    int    // the mutant of the first build whose old text contains the old text of this one; set by compile
}

func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d %s: %s → %s", m.file, m.line, m.function, oneLine(m.old), oneLine(m.new))
}

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	switch {
	case text == "":
		return "(nothing)"
	case len(text) > 60:
		return text[:57] + "..."
	default:
		return text
	}
}

func scan(dir string) ([]*mutant, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var all []*mutant
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if built, err := gobuild.Default.MatchFile(filepath.Split(name)); err != nil {
			return nil, err
		} else if !built {
			continue // the file is for another system, or for a later Go
		}
		source, err := os.ReadFile(name) //nolint:gosec // a source file of this module
		if err != nil {
			return nil, err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, source, 0)
		if err != nil {
			return nil, err
		}
		s := scanner{name: name, source: string(source), fset: fset}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				s.function = f.Name.Name
				ast.Inspect(f.Body, s.visit)
			}
		}
		all = append(all, s.found...)
	}
	return all, nil
}

type scanner struct {
	name     string
	source   string
	fset     *token.FileSet
	function string
	found    []*mutant
}

var swaps = map[token.Token]string{
	token.LAND: "||", token.LOR: "&&", token.EQL: "!=", token.NEQ: "==",
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">",
}

func (s *scanner) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		if !swapNegates(n.Cond) {
			s.edit(n.Cond, "!("+s.text(n.Cond)+")", "(%s != ("+s.escaped(n.Cond)+"))")
		}
	case *ast.BinaryExpr:
		if swap := swaps[n.Op]; swap != "" {
			x, y := s.escaped(n.X), s.escaped(n.Y)
			s.edit(n, s.text(n.X)+" "+swap+" "+s.text(n.Y),
				"(%[1]s && ("+x+" "+swap+" "+y+") || !%[1]s && ("+x+" "+n.Op.String()+" "+y+"))")
		}
	case *ast.BlockStmt:
		s.statements(n.List)
	case *ast.CaseClause:
		s.statements(n.Body)
	case *ast.ReturnStmt:
		for _, r := range n.Results {
			if id, ok := r.(*ast.Ident); ok && (id.Name == "true" || id.Name == "false") {
				s.edit(r, "!"+id.Name, "(%s != "+id.Name+")")
			}
		}
	}
	return true
}

// swapNegates reports whether swapping the operator of cond negates cond, so that both edits are the same mutant.
func swapNegates(cond ast.Expr) bool {
	b, ok := cond.(*ast.BinaryExpr)
	return ok && (b.Op == token.EQL || b.Op == token.NEQ)
}

// statements adds a mutant for each statement that can usually be dropped without an error of the compiler: each call, except
// those of Lock and Unlock, each assignment that declares nothing, and each increment or decrement.
func (s *scanner) statements(list []ast.Stmt) {
	for _, stmt := range list {
		switch n := stmt.(type) {
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); !ok || isLock(call) {
				continue
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				continue
			}
		case *ast.IncDecStmt:
		default:
			continue
		}
		s.edit(stmt, "", "if !%s { "+s.escaped(stmt)+" }")
	}
}

// isLock reports whether the call is of a method Lock or Unlock.
func isLock(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (sel.Sel.Name == "Lock" || sel.Sel.Name == "Unlock")
}

func (s *scanner) text(n ast.Node) string {
	return s.source[s.fset.Position(n.Pos()).Offset:s.fset.Position(n.End()).Offset]
}

func (s *scanner) escaped(n ast.Node) string { return strings.ReplaceAll(s.text(n), "%", "%%") }

func (s *scanner) edit(n ast.Node, becomes, form string) {
	at, to := s.fset.Position(n.Pos()), s.fset.Position(n.End()).Offset
	s.found = append(s.found, &mutant{
		file: s.name, line: at.Line, function: s.function,
		from: at.Offset, to: to, old: s.source[at.Offset:to], new: becomes, form: form, build: -1,
	})
}
