//go:build cgo

package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The C++ API of FutoIn and its reference implementation aren't a part of this repository. If they are found, programs that use
// them are compiled and run.
const (
	where  = "FUTOIN_CPP" // environment variable: the folder that holds api and ri
	beside = "../../../shared/cpp"
)

// reference returns the folder that holds api and ri. It skips the test if there is none, if it can't be used, or with -short.
func reference(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles the reference implementation")
	}
	dir, err := filepath.Abs(cmp.Or(os.Getenv(where), beside))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ri", "src", "binaryapi.cpp")); err != nil {
		t.Skipf("no C++ reference implementation: %v; %s names another folder", err, where)
	}
	cmd := exec.CommandContext(t.Context(), "c++", "-fsyntax-only", "-x", "c++", "-")
	cmd.Stdin = strings.NewReader("#include <boost/lockfree/spsc_queue.hpp>\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("the reference implementation needs the headers of Boost: %v\n%s", err, out)
	}
	return dir
}

func searched(dir string) []string {
	return []string{"-isystem", filepath.Join(dir, "api", "include"), "-isystem", filepath.Join(dir, "ri", "include")}
}

// engine holds the objects of the reference implementation.
var engine struct {
	once    sync.Once
	objects []string
	err     error
}

func objects(t *testing.T, cc string, flags []string) []string {
	t.Helper()
	dir := reference(t)
	out, err := library()
	if err != nil {
		t.Fatal(err)
	}
	engine.once.Do(func() {
		sources, _ := filepath.Glob(filepath.Join(dir, "ri", "src", "*.cpp"))
		engine.objects, engine.err = compile(cc, slices.Concat(flags, searched(dir)), out, sources)
	})
	if engine.err != nil {
		t.Fatal(engine.err)
	}
	return engine.objects
}

// compile makes an object of each source, all at the same time.
func compile(cc string, flags []string, out string, sources []string) ([]string, error) {
	var all sync.WaitGroup
	made, errs := make([]string, len(sources)), make([]error, len(sources))
	for i, source := range sources {
		made[i] = filepath.Join(out, filepath.Base(source)+".o")
		all.Go(func() {
			errs[i] = command(cc, slices.Concat(flags, []string{"-c", source, "-o", made[i]})...)
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return made, nil
}

// realProgram links the sources of testdata/real with the library and the reference implementation.
func realProgram(t *testing.T) string {
	t.Helper()
	dir := reference(t)
	cc, common := compiler(t, "c++")
	common = append(common, "-std=c++14", "-fPIC")
	linking := objects(t, cc, common)
	out, err := library()
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob("testdata/real/*.cpp")
	if err != nil {
		t.Fatal(err)
	}
	flags := slices.Concat(common, []string{"-Wall", "-Wextra", "-Werror"}, searched(dir), include)
	own, err := compile(cc, flags, out, sources)
	if err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(out, "real.exe")
	if err := command(cc, slices.Concat(common, own, linking, linked(out), []string{"-o", exe})...); err != nil {
		t.Fatal(err)
	}
	return exe
}

// mixedProgram builds testdata/mixed, a program in Go with the reference implementation in it.
func mixedProgram(t *testing.T) string {
	t.Helper()
	dir := reference(t)
	cc, common := compiler(t, "c++")
	linking := objects(t, cc, append(common, "-std=c++14", "-fPIC"))
	out, err := library()
	if err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(out, "engine.a") // a library, because cgo's command names it twice
	if err := command("ar", append([]string{"rcs", archive}, linking...)...); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CGO_CXXFLAGS", strings.Join(append(common, searched(dir)...), " "))
	t.Setenv("CGO_LDFLAGS", archive+" -lpthread")
	exe := filepath.Join(out, "mixed.exe")
	args := []string{"build", "-o", exe, "./testdata/mixed"}
	if *asan {
		args = slices.Insert(args, 1, "-asan")
	}
	if err := command("go", args...); err != nil {
		t.Fatal(err)
	}
	return exe
}

// The program of the guide compiles and runs.
func TestRealGuide(t *testing.T) {
	dir := reference(t)
	cc, common := compiler(t, "c++")
	linking := objects(t, cc, append(common, "-std=c++14", "-fPIC"))
	out, err := library()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/guide/c.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)\n```cpp\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("the guide has no program in C++")
	}
	source, exe := filepath.Join(out, "guide.cpp"), filepath.Join(out, "guide.exe")
	if err := os.WriteFile(source, block[1], 0o600); err != nil {
		t.Fatal(err)
	}
	flags := slices.Concat(common, []string{"-std=c++14"}, searched(dir), include)
	if err := command(cc, slices.Concat(flags, []string{source}, linking, linked(out), []string{"-o", exe})...); err != nil {
		t.Fatal(err)
	}
	if got, err := exec.CommandContext(t.Context(), exe).CombinedOutput(); string(got) != "42\n" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

// The C++ API works on the function table of this engine, also with roots that are used again (B12), and with breaks and continues from
// outside (B13).
func TestRealAPI(t *testing.T) { each(t, realProgram(t)) }

// The C++ engine and this one work in one program: each calls stages of the other, and they compete for guards.
func TestRealEngine(t *testing.T) { each(t, mixedProgram(t)) }

// each runs the cases that the program lists, each in its own process.
func each(t *testing.T, exe string) {
	t.Helper()
	list, err := exec.CommandContext(t.Context(), exe, "-list").Output()
	if err != nil || len(list) == 0 {
		t.Fatalf("%v, %q", err, list)
	}
	for name := range strings.FieldsSeq(string(list)) {
		t.Run(name, func(t *testing.T) { start(t, exe, name) })
	}
}

// The headers of the API and those of this library can be included in either order.
func TestHeadersTogether(t *testing.T) {
	dir := reference(t)
	cc, common := compiler(t, "c++")
	const api, own = "#include <futoin/iasyncsteps.hpp>\n", "#include <ftngo.h>\n"
	const values = "#include <futoin/binaryval.h>\n"
	for _, text := range []string{api + own, own + api, values + own + api} {
		source := filepath.Join(t.TempDir(), "both.cpp")
		if err := os.WriteFile(source, []byte(text+"static_assert(sizeof(FutoInArgs) == 128, \"\");\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		flags := slices.Concat(common, []string{"-std=c++14", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"}, include, searched(dir))
		if err := command(cc, append(flags, source)...); err != nil {
			t.Errorf("%s%v", text, err)
		}
	}
}
