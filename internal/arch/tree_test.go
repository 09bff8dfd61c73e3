package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"go/version"
	"io/fs"
	"path"
	"runtime"
	"strings"
)

type source struct {
	path  string // from the module's root, with slashes
	dir   string
	test  bool
	lines int
	fset  *token.FileSet
	ast   *ast.File
}

type violation struct {
	at   string // "flow/par.go:12"
	what string // what was found there
	rule string // the rule, with its reason
}

func (v violation) String() string {
	return fmt.Sprintf("%s: %s\n\t%s", v.at, v.what, v.rule)
}

func (s *source) broken(n ast.Node, rule, what string, args ...any) violation {
	return violation{
		at:   fmt.Sprintf("%s:%d", s.path, s.fset.Position(n.Pos()).Line),
		what: fmt.Sprintf(what, args...),
		rule: rule,
	}
}

func (s *source) in(patterns []pattern) bool {
	for _, p := range patterns {
		if below, ok := strings.CutSuffix(p, "..."); ok {
			if strings.HasPrefix(s.path, below) {
				return true
			}
		} else if ok, _ := path.Match(p, s.path); ok {
			return true
		}
	}
	return false
}

// load parses the Go files of the module whose root is tree, except nested modules and folders that the go command ignores.
func load(tree fs.FS) ([]*source, error) {
	var sources []*source
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if ignored(tree, name) {
				return fs.SkipDir
			}
			return nil
		case path.Ext(name) != ".go":
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		s, err := parse(name, text)
		sources = append(sources, s)
		return err
	})
	return sources, err
}

func ignored(tree fs.FS, dir string) bool {
	if dir == "." {
		return false
	}
	base := path.Base(dir)
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := fs.Stat(tree, path.Join(dir, "go.mod"))
	return err == nil
}

func parse(name string, text []byte) (*source, error) {
	s := &source{
		path:  name,
		dir:   path.Dir(name),
		test:  strings.HasSuffix(name, "_test.go"),
		lines: bytes.Count(text, []byte("\n")),
		fset:  token.NewFileSet(),
	}
	var err error
	s.ast, err = parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil && newer(s.ast) {
		err = nil // in a newer syntax: the part that could be parsed is checked
	}
	return s, err
}

func newer(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			expr, err := constraint.Parse(c.Text)
			if err == nil && version.Compare(constraint.GoVersion(expr), runtime.Version()) > 0 {
				return true
			}
		}
	}
	return false
}
