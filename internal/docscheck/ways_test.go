package docscheck

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// ways holds the lists of docs/internals/architecture.md, each with the largest number of functions that it may have: if a way
// grows beyond that, the way has to be made shorter, not its list.
var ways = map[string]int{"value": 22, "error": 15, "wait": 20}

// way returns the functions in the list of one way, as "file:function".
func way(t *testing.T, of string) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "internals", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), " "+of+"\n\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if !found || !regexp.MustCompile(`(?m)^1\. `).MatchString(section) {
		t.Fatalf("the page has no list of the way of %s", of)
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
	for of, most := range ways {
		visits := way(t, "The way of a"+map[bool]string{true: "n"}[of == "error"]+" "+of)
		if n := len(visits); n > most || n < most/2 {
			t.Errorf("the way of a %s names %d functions, want at most %d: %v", of, n, most, visits)
		}
	}
}

// stack returns the functions of this module that are being called, outermost last, without closures and without those
// in the folders given.
func stack(t *testing.T, without ...string) []string {
	t.Helper()
	pcs := make([]uintptr, 100)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	var calls []string
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		path, inside := strings.CutPrefix(f.Function, "github.com/futoin-go/asyncsteps/")
		if !inside || strings.HasSuffix(f.File, "_test.go") {
			continue
		}
		path = regexp.MustCompile(`\[.*\]`).ReplaceAllString(path, "")
		dir := path[:strings.LastIndexByte(path, '/')+1] + strings.SplitN(path[strings.LastIndexByte(path, '/')+1:], ".", 2)[0]
		name := path[strings.LastIndexByte(path, '.')+1:]
		if regexp.MustCompile(`^(func)?\d+$`).MatchString(name) || slices.Contains(without, dir) {
			continue
		}
		calls = append(calls, dir+"/"+filepath.Base(f.File)+":"+name)
	}
	if len(calls) < 3 {
		t.Fatalf("found only %v", calls)
	}
	return calls
}

// named checks that the lists have all calls.
func named(t *testing.T, calls []string, lists ...[]string) {
	t.Helper()
	for _, call := range calls {
		if !slices.Contains(slices.Concat(lists...), call) {
			t.Errorf("the list doesn't name %s", call)
		}
	}
}

// Each function that is on the call stack when a body runs is in the list of its way.
func TestWaysNameWhatIsCalled(t *testing.T) {
	value, failure, wait := way(t, "The way of a value"), way(t, "The way of an error"), way(t, "The way of a wait")
	t.Run("value", func(t *testing.T) {
		_, err := flow.Run(t.Context(), step.Map(func(int) int {
			named(t, stack(t), value)
			return 0
		}), 0)
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("error", func(t *testing.T) {
		fails := step.Func(func(as step.Scope, _ int) (int, error) {
			as.SetCancel(func() { named(t, stack(t), value, failure) })
			return 0, fault.New("Bad", "")
		})
		if _, err := flow.Run(t.Context(), flow.Catch(fails, func(step.Scope, error) step.Next[int] {
			named(t, stack(t), value, failure)
			return step.Succeed(0)
		}), 0); err != nil {
			t.Error(err)
		}
	})
	t.Run("wait", func(t *testing.T) {
		loop := tool.Start(tool.Options{})
		defer func() { _ = loop.Shutdown(context.Background()) }()
		waits := step.New(func(as step.Scope, _ int) step.Next[int] {
			return step.Wait(as, func(done step.Done[int]) {
				named(t, stack(t, "tool"), value, wait)
				go done.Succeed(0)
			})
		})
		if _, err := flow.Start(t.Context(), loop, flow.Then(waits, step.Map(func(int) int {
			named(t, stack(t, "tool"), value, wait)
			return 0
		})), 0).Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
