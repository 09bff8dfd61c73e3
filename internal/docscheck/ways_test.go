package docscheck

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/counters"
)

// ways holds lists of docs/internals/architecture.md, each with the largest number of functions that it may have, and the
// ways that it continues. If a way needs more functions, make the way shorter, not its list.
var ways = []struct {
	name, title string
	most        int
	after       []string
}{
	{"value", "The way of a value", 22, nil},
	{"error", "The way of an error", 15, []string{"value"}},
	{"sub-steps", "The way of sub-steps", 8, []string{"value"}},
	{"start", "The way of a start", 24, []string{"value"}},
	{"wait", "The way of a wait", 22, []string{"value", "start"}},
}

// way returns the functions in the list of one way, as "file:function".
func way(t *testing.T, title string) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "internals", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "## "+title+"\n\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if !found || !regexp.MustCompile(`(?m)^1\. `).MatchString(section) {
		t.Fatalf("the page has no list of %q", title)
	}
	var visits []string
	for _, item := range regexp.MustCompile(`(?m)^\d+\. .*(?:\n   .*)*`).FindAllString(section, -1) {
		for _, named := range regexp.MustCompile("`([a-z0-9_/]+\\.go:\\w+)`").FindAllStringSubmatch(item, -1) {
			visits = append(visits, named[1])
		}
	}
	return visits
}

func TestWaysAreShort(t *testing.T) {
	for _, w := range ways {
		visits := way(t, w.title)
		if n := len(visits); n > w.most || n < w.most/2 {
			t.Errorf("%s names %d functions, want at most %d: %v", w.title, n, w.most, visits)
		}
	}
}

const (
	// short is how many lines a function body may have without being named on the page.
	short = 5
	// runs is how often each way is executed: what a loop and another goroutine do depends on which is first.
	runs = 200
)

// A function that is executed at least half as often as a way is in the list of that way, of a way that it continues, or of
// the helpers, unless it is short. A function of a loop counts only if it is executed as often as the way. Each function in
// the lists is executed, except that those of a loop need not be.
func TestWaysNameWhatIsExecuted(t *testing.T) {
	folder := t.TempDir()
	if _, err := counters.Run(t.Context(), "./ways", folder, strconv.Itoa(runs)); err != nil {
		t.Fatal(err)
	}
	lists := map[string][]string{"helpers": way(t, "Helpers on the ways")}
	helps := map[string]bool{}
	for _, w := range ways {
		lists[w.name] = way(t, w.title)
		known := slices.Concat(lists[w.name], lists["helpers"])
		for _, other := range w.after {
			known = append(known, lists[other]...)
		}
		executed := bodies(t, filepath.Join(folder, w.name))
		for _, name := range slices.Sorted(maps.Keys(executed)) {
			helps[name] = true
			often := runs / 2
			if byLuck(name) {
				often = runs
			}
			if b := executed[name]; b.lines > short && b.times >= often && !slices.Contains(known, name) {
				t.Errorf("%s doesn't name %s, of %d lines", w.title, name, b.lines)
			}
		}
		for _, name := range lists[w.name] {
			if _, is := executed[name]; !is && !byLuck(name) {
				t.Errorf("%s names %s, which isn't executed", w.title, name)
			}
		}
	}
	for _, name := range lists["helpers"] {
		if !helps[name] && !byLuck(name) {
			t.Errorf("the helper %s isn't executed", name)
		}
	}
}

// byLuck reports whether it depends on timing if the function is executed: loops may or may not sleep.
func byLuck(name string) bool {
	return strings.HasPrefix(name, "tool/") || strings.HasPrefix(name, "internal/queue/")
}

type body struct{ lines, times int }

// bodies returns the executed functions, as "file:function".
func bodies(t *testing.T, folder string) map[string]body {
	t.Helper()
	blocks, err := counters.Read(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(blocks, func(a, b counters.Block) int { return cmp.Compare(a.Line, b.Line) }) // the first block of a function tells how often it was executed
	executed := map[string]body{}
	parsed := map[string]*ast.File{}
	set := token.NewFileSet()
	for _, b := range blocks {
		if strings.HasPrefix(b.File, "internal/docscheck/") || strings.HasPrefix(b.File, "internal/counters/") {
			continue
		}
		if parsed[b.File] == nil {
			file, err := parser.ParseFile(set, filepath.Join(root, b.File), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			parsed[b.File] = file
		}
		for _, d := range parsed[b.File].Decls {
			first, last := set.Position(d.Pos()).Line, set.Position(d.End()).Line
			f, is := d.(*ast.FuncDecl)
			if !is || b.Line < first || last < b.Line {
				continue
			}
			if name := b.File + ":" + f.Name.Name; executed[name].times == 0 {
				executed[name] = body{last - first - 1, b.Times}
			}
		}
	}
	return executed
}
