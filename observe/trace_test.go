package observe_test

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/trace"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// traced returns the tasks, regions and logs of an execution trace of do.
func traced(t *testing.T, do func()) []string {
	t.Helper()
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command to read the trace with: ", err)
	}
	name := filepath.Join(t.TempDir(), "trace")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.Start(file); err != nil {
		t.Skip("a trace is being taken already: ", err)
	}
	do()
	trace.Stop()
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := exec.CommandContext(t.Context(), goTool, "tool", "trace", "-d=parsed", name).CombinedOutput()
	if err != nil { // the command fails if regions don't nest
		t.Fatalf("go tool trace: %v: %s", err, text[max(0, len(text)-1000):])
	}
	return annotations(string(text))
}

var annotation = regexp.MustCompile(`^M=.* (Task|Region|Log)(Begin|End|) Time=\d+ (.*)\n`)

var taskID = regexp.MustCompile(`(Task|ID|Parent)=(\d+)`)

// annotations returns the lines about tasks, regions and logs, without times and goroutines, with the tasks numbered from 1.
func annotations(text string) []string {
	noParent := " Parent=" + strconv.FormatUint(math.MaxUint64, 10)
	numbers := make(map[string]int)
	number := func(field string) string {
		name, id, _ := strings.Cut(field, "=")
		if numbers[id] == 0 {
			numbers[id] = len(numbers) + 1
		}
		return name + "=" + strconv.Itoa(numbers[id])
	}
	var all []string
	for line := range strings.Lines(text) {
		if m := annotation.FindStringSubmatch(line); m != nil {
			said := taskID.ReplaceAllStringFunc(strings.Replace(m[3], noParent, "", 1), number)
			all = append(all, strings.TrimSpace(m[1]+" "+m[2])+" "+said)
		}
	}
	return all
}

func TestTrace(t *testing.T) {
	inner := flow.Named("inner", flow.Of(plantest.Named("", nil)))
	plan := flow.Named("outer", flow.Then(plantest.Delay("w", time.Second), flow.Named("starts", step.Func(func(as step.Scope, _ step.Unit) (step.Unit, error) {
		flow.Start(context.WithoutCancel(as.Context()), as.Loop(), inner, step.Unit{})
		return step.Unit{}, errBad
	}))))
	got := traced(t, func() {
		l := tooltest.New()
		twice := observe.With(observe.With(t.Context(), observe.Trace()), observe.Trace())
		flow.Start(twice, l, plan, step.Unit{})
		l.Run()
	})
	want := []string{
		`Task Begin ID=1 Type="outer"`,
		`Log Task=1 Category="step start" Message="0 outer"`,
		`Log Task=1 Category="step start" Message="0/0 w"`,
		`Log Task=1 Category="suspended" Message="0/0 w"`,
		`Log Task=1 Category="resumed" Message="0/0 w"`,
		`Log Task=1 Category="step end" Message="0/0 w"`,
		`Log Task=1 Category="step start" Message="0/1 starts"`,
		`Region Begin Task=1 Type="starts"`,
		`Task Begin ID=2 Parent=1 Type="inner"`,
		`Region End Task=1 Type="starts"`,
		`Log Task=1 Category="raised" Message="0/1 starts: Bad: bad luck"`,
		`Log Task=1 Category="step end" Message="0/1 starts: Bad: bad luck"`,
		`Log Task=1 Category="step end" Message="0 outer: Bad: bad luck"`,
		`Log Task=1 Category="run end" Message="Bad: bad luck"`,
		`Task End ID=1 Type="outer"`,
		`Log Task=2 Category="step start" Message="0 inner"`,
		`Region Begin Task=2 Type="inner"`,
		`Region End Task=2 Type="inner"`,
		`Log Task=2 Category="step end" Message="0 inner"`,
		`Log Task=2 Category="run end" Message=""`,
		`Task End ID=2 Parent=1 Type="inner"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
}

// Regions nest: otherwise traced fails, because "go tool trace" refuses the trace.
func TestRegionsNest(t *testing.T) {
	sub := step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
		return step.Into(as, plantest.Named("sub", nil), step.Unit{})
	})
	plan := flow.Then(flow.Par2(flow.Then(sub, plantest.Named("a", nil)), flow.Catch(plantest.Named("b", errBad), func(as step.Scope, _ error) step.Next[step.Unit] {
		return step.Into(as, sub, step.Unit{})
	})), step.Map(func(flow.Pair[step.Unit, step.Unit]) step.Unit { panic("no") }))
	got := traced(t, func() {
		for seed := range uint64(20) {
			l := tooltest.New(tooltest.WithSeed(seed)) // a run takes one step at a time, so runs interleave
			ctx := observe.With(t.Context(), observe.Trace())
			for range 3 {
				flow.Start(ctx, l, plan, step.Unit{})
			}
			l.Run()
		}
	})
	regions := 0
	for _, line := range got {
		if strings.HasPrefix(line, "Region Begin") {
			regions++
		}
	}
	if want := 20 * 3 * 5; regions != want { // 20 loops of 3 runs, each with 5 bodies: two of sub, a, b and the last one
		t.Errorf("%d regions, want %d", regions, want)
	}
}

func TestNoTraceNoWatch(t *testing.T) {
	ctx, watch := observe.Trace().Start(t.Context(), observe.Run{})
	if watch != nil || ctx != t.Context() {
		t.Error("a run is observed though no trace is taken")
	}
}
