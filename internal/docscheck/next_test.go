package docscheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	vetPage  = "docs/guide/vet.md"
	vetFlag  = "-unusedresult.funcs="
	ourPaths = "github.com/futoin-go/asyncsteps/"
)

// The go vet command on the page finds the mistake on the page, and nothing in the program without it.
func TestVetFindsADroppedNext(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	p, command := vetCommand(t)
	programs, _ := p.programs()
	wrong := programs[0]
	mended := strings.NewReplacer("\t\tstep.Fail", "\t\treturn step.Fail", "\t\treturn\n", "").Replace(wrong.files[0].text)
	right := &program{page: p.name, lang: "go", files: []file{{"main.go", mended}}}
	shown := slices.IndexFunc(p.blocks, func(b block) bool { return b.lang == "console" && strings.HasPrefix(b.text, "./main.go") })
	module := newModule(t)
	for _, c := range []struct {
		program *program
		want    string
	}{
		{wrong, strings.TrimPrefix(strings.TrimSpace(p.blocks[shown].text), "./")},
		{right, ""},
	} {
		module.add(t, c.program)
		words := strings.Fields(strings.Replace(command, "./...", "./"+c.program.folder(), 1))
		cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
		cmd.Dir = module.dir
		cmd.Env = append(cmd.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		out, err := cmd.CombinedOutput()
		if (err != nil) != (c.want != "") || !strings.Contains(string(out), c.want) {
			t.Errorf("%v, want %q in\n%s", err, c.want, out)
		}
	}
}

func TestVetCommandIsOurs(t *testing.T) {
	_, command := vetCommand(t)
	tasks, err := os.ReadFile(filepath.Join(root, "Taskfile.yml"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(tasks), "cmd: "+command+"\n") {
		t.Errorf("no task runs %s", command)
	}
}

// The list on the page has the functions that return a Next.
func TestVetKnowsAllThatMakeANext(t *testing.T) {
	_, command := vetCommand(t)
	var want []string
	for _, dir := range packages {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, _ := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() && givesNext(f) {
					want = append(want, ourPaths+path.Join(dir, f.Name.Name))
				}
			}
		}
	}
	for i, name := range want {
		at := strings.LastIndexByte(name, '/')
		want[i] = name[:at] + "." + name[at+1:]
	}
	_, list, _ := strings.Cut(strings.Fields(command)[3], vetFlag)
	got := strings.Split(list, ",")
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the list of %s (-want +got):\n%s", vetPage, diff)
	}
}

// givesNext reports whether the only result of f is a Next[Out] or a step.Next[Out].
func givesNext(f *ast.FuncDecl) bool {
	if f.Type.Results == nil || len(f.Type.Results.List) != 1 {
		return false
	}
	generic, ok := f.Type.Results.List[0].Type.(*ast.IndexExpr)
	if !ok {
		return false
	}
	switch of := generic.X.(type) {
	case *ast.Ident:
		return of.Name == "Next"
	case *ast.SelectorExpr:
		return of.Sel.Name == "Next"
	default:
		return false
	}
}

func vetCommand(t *testing.T) (page, string) {
	t.Helper()
	for _, p := range pages(t) {
		if p.name != vetPage {
			continue
		}
		for _, b := range p.blocks {
			if b.lang == "sh" && strings.Contains(b.text, vetFlag) {
				return p, strings.TrimSpace(b.text)
			}
		}
	}
	t.Fatalf("%s has no command with %s", vetPage, vetFlag)
	return page{}, ""
}
