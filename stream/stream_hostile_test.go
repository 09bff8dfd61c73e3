package stream_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool"
)

type hostileUse struct {
	kind string // of the stage or step, which the error of a panic must name
	plan func(breaks func()) flow.Plan[[]int, int]
}

func countElements[T any](s stream.Stream[[]int, T]) flow.Plan[[]int, int] { return stream.Count(s) }

// hostileUses returns plans of streams that are given functions.
func hostileUses() []hostileUse {
	numbers := stream.Input(slices.Values[[]int], stream.Seq[int]()) // has a coroutine that might be left behind
	one := stream.Bound{Limit: 1}
	inner := func(in []int) []int { return in }
	steps := func(breaks func()) step.Step[int, int] {
		return step.Map(func(v int) int { breaks(); return v })
	}
	feed := stream.Count(stream.Fed[int]())
	return []hostileUse{
		{"map", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Map(numbers, func(v int) int { b(); return v }))
		}},
		{"func", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Func(numbers, func(v int) (int, error) { b(); return v, nil }))
		}},
		{"filter", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Filter(numbers, func(int) bool { b(); return true }))
		}},
		{"distinct", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Distinct(numbers, func(v int) int { b(); return v }))
		}},
		{"scan", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Scan(numbers, func() int { return 0 }, func(_, v int) int { b(); return v }))
		}},
		{"scan", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Scan(numbers, func() int { b(); return 0 }, func(_, v int) int { return v }))
		}},
		{"scan", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Merge(numbers, stream.Scan(numbers, func() int { b(); return 0 }, func(_, v int) int { return v })))
		}},
		{"scan", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Zip(numbers, stream.Scan(numbers, func() int { b(); return 0 }, func(_, v int) int { return v })))
		}},
		{"expand", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Expand(numbers, func(int) iter.Seq[int] { b(); return nil }))
		}},
		{"expand", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Expand(numbers, func(int) iter.Seq[int] { return func(func(int) bool) { b() } }))
		}},
		{"await", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Await(numbers, one, func(_ context.Context, v int) (int, error) { b(); return v, nil }))
		}},
		{"crew", func(b func()) flow.Plan[[]int, int] { return countElements(stream.Through(numbers, one, steps(b))) }},
		{"crew", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Partition(numbers, one, func(v int) int { return v }, steps(b)))
		}},
		{"partition", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Partition(numbers, one, func(v int) int { b(); return v }, steps(func() {})))
		}},
		{"map", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.FlatMap(numbers, one, stream.Map(stream.Input(func(v int) []int { return []int{v} }, numbers),
				func(v int) int { b(); return v })))
		}},
		{"input", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Input(func(in []int) []int { b(); return in }, numbers))
		}},
		{"catch", func(b func()) flow.Plan[[]int, int] {
			failing := stream.Func(numbers, func(int) (int, error) { return 0, errOdd })
			return countElements(stream.Catch(failing, func(error) error { b(); return nil }))
		}},
		{"seq", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Input(func([]int) iter.Seq[int] { return func(func(int) bool) { b() } }, stream.Seq[int]()))
		}},
		{"seq2", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Input(func([]int) iter.Seq2[int, error] { return func(func(int, error) bool) { b() } }, stream.Seq2[int]()))
		}},
		{"generate", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Generate(1, func(context.Context, []int, func(int) bool) error { b(); return nil }))
		}},
		{"lines", func(b func()) flow.Plan[[]int, int] {
			return countElements(stream.Input(func([]int) io.Reader { return hostileReader{b} }, stream.Lines[io.Reader](1)))
		}},
		{"crew", func(b func()) flow.Plan[[]int, int] {
			page := step.Map(func([]int) stream.Page[[]int, int] { b(); return stream.Page[[]int, int]{} })
			return countElements(stream.Input(inner, stream.Pages(page)))
		}},
		{"fold", func(b func()) flow.Plan[[]int, int] {
			return stream.Fold(numbers, func() int { return 0 }, func(_, v int) int { b(); return v })
		}},
		{"fold", func(b func()) flow.Plan[[]int, int] {
			return stream.Fold(numbers, func() int { b(); return 0 }, func(_, v int) int { return v })
		}},
		{"foreach", func(b func()) flow.Plan[[]int, int] {
			return stream.ForEach(numbers, func(int) error { b(); return nil })
		}},
		{"consume", func(b func()) flow.Plan[[]int, int] {
			return stream.Consume(numbers, 1, func(_ context.Context, _ []int, all iter.Seq[int]) (n int, _ error) {
				for range all {
					b()
					n++
				}
				return n, nil
			})
		}},
		{"write", func(b func()) flow.Plan[[]int, int] {
			text := stream.Map(numbers, func(int) string { return "x" })
			return flow.Then(stream.Write(text, 1, func([]int) io.Writer { return hostileWriter{b} }), step.Map(func(n int64) int { return int(n) }))
		}},
		{"send", func(b func()) flow.Plan[[]int, int] {
			return stream.Send(numbers, 1, func([]int) chan<- int { b(); return nil })
		}},
		{"map", func(b func()) flow.Plan[[]int, int] {
			branch := stream.Count(stream.Map(stream.Fed[int](), func(v int) int { b(); return v }))
			return flow.Then(stream.Broadcast(numbers, 1, feed, branch), step.Map(func(n []int) int { return n[0] }))
		}},
	}
}

type hostileReader struct{ b func() }

func (r hostileReader) Read([]byte) (int, error) { r.b(); return 0, io.EOF }

type hostileWriter struct{ b func() }

func (w hostileWriter) Write(p []byte) (int, error) { w.b(); return len(p), nil }

// onLoop runs plan on a loop of its own, because runtime.Goexit must not end the test.
func onLoop[In, Out any](ctx context.Context, t *testing.T, plan step.Step[In, Out], in In, report *[]error) (Out, error) {
	t.Helper()
	var mu sync.Mutex
	loop := tool.Start(tool.Options{OnError: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		*report = append(*report, err)
	}})
	out, err := flow.Start(ctx, loop, plan, in).Wait(context.Background())
	if down := loop.Shutdown(context.Background()); down != nil {
		t.Error(down)
	}
	return out, err
}

// If a function panics or ends its goroutine, the stream fails with an error that says so, and leaves no
// goroutine behind. The error of a panic names the stage or step.
func TestFunctionsBreakOff(t *testing.T) {
	for _, u := range hostileUses() {
		for how, breaks := range map[string]func(){"panic": func() { panic("broken off") }, "Goexit": runtime.Goexit} {
			t.Run(u.kind+", "+how, func(t *testing.T) {
				leaktest.Check(t)
				var reported []error
				n, err := onLoop(t.Context(), t, u.plan(breaks), plantest.Ints(3), &reported)
				if !errors.Is(err, fault.InternalError) {
					t.Fatalf("got %d, %v", n, err)
				}
				if text := err.Error(); how == "panic" && (!strings.Contains(text, "/"+u.kind) || !strings.Contains(text, " panicked")) {
					t.Errorf("the error doesn't name the stage %s: %s", u.kind, text)
				}
				if text := err.Error(); how == "Goexit" && !strings.Contains(text, " ended its goroutine") {
					t.Errorf("the error doesn't say why: %s", text)
				}
			})
		}
	}
}

// E4: if a function panics on its goroutine while its stream is being cancelled, that is reported once.
func TestE4PanicOfAStreamThatIsLeft(t *testing.T) {
	late := func(ctx context.Context) {
		<-ctx.Done()
		time.Sleep(time.Second / 10) // less than the grace
		panic("broken off")
	}
	for name, plan := range map[string]flow.Plan[[]int, int]{
		"Await": countElements(stream.Await(stream.Slice[int](), stream.Bound{Limit: 1},
			func(ctx context.Context, v int) (int, error) { late(ctx); return v, nil })),
		"Generate": countElements(stream.Generate(1, func(ctx context.Context, _ []int, _ func(int) bool) error { late(ctx); return nil })),
		"Consume": stream.Consume(stream.Slice[int](), 1,
			func(ctx context.Context, _ []int, _ iter.Seq[int]) (int, error) { late(ctx); return 0, nil }),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var reported []error
				_, err := onLoop(t.Context(), t, flow.Timeout(time.Second, plan), plantest.Ints(3), &reported)
				if !errors.Is(err, fault.Timeout) {
					t.Errorf("ended with %v", err)
				}
				if len(reported) != 1 || !strings.Contains(reported[0].Error(), "broken off") {
					t.Errorf("reported: %v", reported)
				}
			})
		})
	}
}

// stoppable returns an iterator over the numbers below n that calls breaks if it is stopped before its end.
func stoppable(n int, breaks func()) iter.Seq[int] {
	return func(yield func(int) bool) {
		for v := range n {
			if !yield(v) {
				breaks()
				return
			}
		}
	}
}

// If an iterator breaks off when it is stopped, the others are stopped, and elements have their letters.
func TestIteratorsBreakOffWhenTheyAreStopped(t *testing.T) {
	for how, breaks := range map[string]func(){"panic": func() { panic("broken off") }, "Goexit": runtime.Goexit} {
		seq := stream.Input(func(n int) iter.Seq[int] { return stoppable(n, breaks) }, stream.Seq[int]())
		expand := stream.Expand(seq, func(v int) iter.Seq[int] { return stoppable(900, breaks) })
		for name, s := range map[string]stream.Stream[int, int]{
			"Merge":  stream.Merge(expand, seq),
			"Concat": stream.Concat(expand, seq),
			"Zip":    stream.Map(stream.Zip(expand, seq), func(p flow.Pair[int, int]) int { return p.A }),
		} {
			t.Run(how+", "+name, func(t *testing.T) {
				leaktest.Check(t)
				var reported []error
				var p stream.Progress
				heard := 0
				s := stream.Catch(stream.Measure(s, &p), func(error) error { heard++; return nil })
				if n, err := onLoop(t.Context(), t, stream.Count(stream.Take(s, 3)), 900, &reported); n != 3 || err != nil {
					if !errors.Is(err, fault.InternalError) {
						t.Errorf("got %d, %v", n, err)
					}
				}
				if c := p.Counts(); int(c.Lost) != heard || heard == 0 {
					t.Errorf("heard %d times, counted %+v", heard, c)
				}
			})
		}
	}
}

// V1: a handler that ends its goroutine at each letter gets all letters.
func TestV1HandlerEndsItsGoroutineAtEachLetter(t *testing.T) {
	const n = 20_000
	heard := 0
	taken := 0
	var first step.Done[int]
	hold := step.New(func(as step.Scope, v int) step.Next[int] { // until all are in the stage
		if taken == n {
			return step.Succeed(v)
		}
		return step.Wait(as, func(done step.Done[int]) { first = done })
	})
	source := func(yield func(int) bool) {
		for ; taken < n && yield(taken); taken++ {
		}
		first.Succeed(0) // if the first one waits already
	}
	s := stream.Catch(stream.Through(stream.Seq[int](), stream.Bound{Limit: 1, Buffer: n}, hold), func(error) error {
		heard++
		runtime.Goexit()
		return nil
	})
	var reported []error
	if got, err := onLoop(t.Context(), t, stream.Count(stream.Take(s, 1)), iter.Seq[int](source), &reported); got != 0 || !errors.Is(err, fault.InternalError) {
		t.Error(got, err)
	}
	if heard != n-1 {
		t.Errorf("heard of %d of %d", heard, n-1)
	}
}
