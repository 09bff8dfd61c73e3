package stream_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type progressRecorder struct{ lines []string }

func (o *progressRecorder) Start(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
	return ctx, func(e observe.Event) {
		stages, last := e.Stages()
		if (e.Kind == observe.Progress) != (stages != nil) {
			o.lines = append(o.lines, fmt.Sprint(e.Kind, " has ", stages))
		}
		if stages == nil {
			return
		}
		line := []string{fmt.Sprint(e.At, " ", e.Path(), " ", e.Label())}
		for _, s := range stages {
			line = append(line, s.String())
		}
		if last {
			line = append(line, "last")
		}
		o.lines = append(o.lines, strings.Join(line, " | "))
	}
}

func (o *progressRecorder) are(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, o.lines); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

func runObserved[In, Out any](t *testing.T, o observe.Observer, s step.Step[In, Out], in In) error {
	t.Helper()
	l := tooltest.New()
	run := flow.Start(observe.With(t.Context(), o), l, s, in)
	l.Run()
	_, err := run.Result()
	if errs := l.Errors(); len(errs) != 0 || l.Pending() != 0 {
		t.Errorf("reported to the loop: %v; %d callbacks are left", errs, l.Pending())
	}
	return err
}

// Observers get at most ten Progress events a second, and one at the end with the totals.
func TestProgress(t *testing.T) {
	var o progressRecorder
	var l letterRecorder
	work := flow.Then(step.Delay[int](45*time.Millisecond), step.Func(func(_ step.Scope, v int) (int, error) { return even(v) }))
	s := stream.Named("work", stream.Through(stream.Slice[int](), stream.Bound{Limit: 2, Buffer: 2}, work))
	plan := flow.Named("adds up", stream.Fold(stream.Catch(s, l.take), func() int { return 0 }, func(a, b int) int { return a + b }))
	if err := runObserved(t, &o, plan, plantest.Ints(10)); err != nil {
		t.Fatal(err)
	}
	// Elements take 45 ms, two at a time, and every other one fails. None ends at 100 or 200 ms: the event of that
	// time might count it or not.
	o.are(t,
		"100ms 0 adds up | slice.0: out 8, 80/s | work: in 8, out 2, dead 2, held 4, 20/s | catch.2: in 2, out 2, 20/s | fold.3: in 2, 20/s",
		"200ms 0 adds up | slice.0: out 10, 20/s | work: in 10, out 4, dead 4, held 2, 20/s | catch.2: in 4, out 4, 20/s | fold.3: in 4, 20/s",
		"225ms 0 adds up | slice.0: out 10, 44.44/s | work: in 10, out 5, dead 5, 22.22/s | catch.2: in 5, out 5, 22.22/s | fold.3: in 5, 22.22/s | last",
	)
}

// What happens shortly after an event is reported 100 ms after that event, even if nothing else happens until then.
func TestProgressOfAStreamThatWaits(t *testing.T) {
	var o progressRecorder
	slow := stream.Through(stream.Slice[int](), stream.Bound{Limit: 1}, delayByValue)
	if err := runObserved(t, &o, stream.Count(slow), []int{90, 60, 5000}); err != nil {
		t.Fatal(err)
	}
	o.are(t,
		"100ms 0 count | slice.0: out 2, 20/s | through.1: in 2, out 1, held 1, 10/s | count.2: in 1, 10/s",
		"200ms 0 count | slice.0: out 3, 10/s | through.1: in 3, out 2, held 1, 10/s | count.2: in 2, 10/s",
		"5.15s 0 count | slice.0: out 3 | through.1: in 3, out 3, 0.202/s | count.2: in 3, 0.202/s",
		"5.15s 0 count | slice.0: out 3, 0.5825/s | through.1: in 3, out 3, 0.5825/s | count.2: in 3, 0.5825/s | last",
	)
}

// A merge counts the elements of all stages before it as taken.
func TestProgressOfMerges(t *testing.T) {
	var o progressRecorder
	few := stream.Take(stream.Slice[int](), 2)
	both := stream.Merge(stream.Named("all", stream.Map(stream.Slice[int](), double)), few, stream.Concat[[]int, int]())
	pairs := stream.Zip(both, stream.Slice[int]())
	if err := runObserved(t, &o, stream.Count(stream.FlatMap(pairs, stream.Bound{Limit: 1}, stream.Input(
		func(p flow.Pair[int, int]) []int { return []int{p.A, p.B} }, stream.Func(stream.Slice[int](), even)))), []int{2, 4, 6}); err != nil {
		t.Fatal(err)
	}
	o.are(t, "0s 0 count | slice.0: out 2 | all: in 2, out 2 | slice.2: out 2 | take.3: in 2, out 2 | concat.4 | merge.5: in 4, out 4 | "+
		"slice.6: out 3 | zip.7: in 7, out 3, lost 1 | flatmap.8: in 3, out 6 | count.9: in 6 | last")
}

func TestProgressOfAStreamThatFails(t *testing.T) {
	var o progressRecorder
	if err := runObserved(t, &o, stream.Count(stream.Func(stream.Slice[int](), even)), []int{2, 4, 5, 6}); err == nil {
		t.Fatal("no error")
	}
	o.are(t, "0s 0 count | slice.0: out 4 | func.1: in 4, out 2, failed 1, lost 1 | count.2: in 2 | last")
}

// Each branch of a Broadcast has its own events.
func TestProgressOfABroadcast(t *testing.T) {
	var o progressRecorder
	branch := stream.Count(stream.Map(stream.Fed[int](), double))
	if err := runObserved(t, &o, stream.Broadcast(stream.Slice[int](), 4, branch, branch), plantest.Ints(10)); err != nil {
		t.Fatal(err)
	}
	if len(o.lines) != 3 {
		t.Fatalf("got %q", o.lines)
	}
	for i, want := range []string{"count | fed.0: out 10 | map.1: in 10, out 10 | count.2: in 10 | last", "", "broadcast | slice.0: out 10 | broadcast.1: in 10 | last"} {
		if !strings.HasSuffix(o.lines[i], want) {
			t.Errorf("event %d is %q", i, o.lines[i])
		}
	}
}

// An observer that panics or calls Goexit at a Progress event does no more harm than to end the stream.
func TestProgressBreaksOff(t *testing.T) {
	for how, breaks := range map[string]func(){"panic": func() { panic("broken off") }, "Goexit": runtime.Goexit} {
		for _, slow := range []bool{true, false} {
			t.Run(fmt.Sprint(how, slow), func(t *testing.T) {
				o := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
					return ctx, func(e observe.Event) {
						if e.Kind == observe.Progress {
							breaks()
						}
					}
				})
				var reported []error
				loop := tool.Start(tool.Options{OnError: func(err error) { reported = append(reported, err) }})
				s := stream.Slice[int]()
				if slow {
					s = stream.Through(s, stream.Bound{Limit: 1}, step.Delay[int](60*time.Millisecond))
				}
				n, err := flow.Start(observe.With(t.Context(), o), loop, stream.Count(s), plantest.Ints(3)).Wait(t.Context())
				if how == "panic" && (err != nil || n != 3) {
					t.Errorf("got %d, %v", n, err)
				}
				if err := loop.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
				if len(reported) == 0 {
					t.Error("nothing was reported to the loop")
				}
			})
		}
	}
}

// A stream that isn't observed sets no timer.
func TestProgressOfNobody(t *testing.T) {
	l, run := plantest.Start(t, stream.Count(stream.Through(stream.Slice[int](), stream.Bound{Limit: 1}, delayByValue)), []int{1000})
	l.Advance(0)
	if n := l.Pending(); n != 1 {
		t.Errorf("%d callbacks are pending, one is of the element", n)
	}
	l.Run()
	if _, err := run.Result(); err != nil {
		t.Error(err)
	}
}
