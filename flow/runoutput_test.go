package flow_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// While the caller uses a value no step goes on.
func TestOutputHasBackpressure(t *testing.T) {
	var log []string
	note := func(text string) step.Step[int, int] {
		return step.Map(func(n int) int { log = append(log, text); return n })
	}
	s := dropResults(flow.Par(flow.Then(outputs("a"), note("after a")), flow.Then(step.Delay[int](time.Millisecond), note("beside"))))
	synctest.Test(t, func(t *testing.T) {
		for text := range flow.RunOutput(t.Context(), words, s, 1).All() {
			time.Sleep(time.Second)
			log = append(log, "took "+text)
		}
	})
	if want := []string{"took a", "after a", "beside"}; !slices.Equal(log, want) && !slices.Equal(log, []string{"took a", "beside", "after a"}) {
		t.Errorf("got %q", log)
	}
}

func TestOutputIsLeft(t *testing.T) {
	left, after := 0, 0
	undone := flow.OnCancel(flow.Then(outputs("a", "b", "c"), step.Map(func(n int) int { after++; return n })), func(step.Scope) { left++ })

	t.Run("by break", func(t *testing.T) {
		left, after = 0, 0
		run := flow.RunOutput(t.Context(), words, undone, 1)
		for text := range run.All() {
			if text == "b" {
				if _, err := run.Result(); !errors.Is(err, flow.ErrRunning) {
					t.Error("within the range:", err)
				}
				break
			}
		}
		if left != 1 || after != 0 {
			t.Errorf("%d left, %d went on", left, after)
		}
		_, err := run.Result()
		plantest.WantCode(t, err, fault.Cancelled)
		for range run.All() {
			t.Error("a second range has values")
		}
	})
	t.Run("by a panic", func(t *testing.T) {
		left, after = 0, 0
		run := flow.RunOutput(t.Context(), words, undone, 1)
		func() {
			defer func() {
				if p := recover(); p != "no" {
					t.Error(p)
				}
			}()
			for range run.All() {
				panic("no")
			}
		}()
		if left != 1 || after != 0 {
			t.Errorf("%d left, %d went on", left, after)
		}
	})
	t.Run("a body that sends hears of it", func(t *testing.T) {
		heard := make(chan error, 1)
		s := step.Do(func(ctx context.Context, _ int) error {
			for {
				if err := words.Send(ctx, "a"); err != nil || ctx.Err() != nil {
					heard <- context.Cause(ctx)
					return err
				}
			}
		})
		for range flow.RunOutput(t.Context(), words, s, 1).All() {
			break
		}
		if err := <-heard; !errors.Is(err, fault.Cancelled) {
			t.Error(err)
		}
	})
}

func TestOutputIsCancelled(t *testing.T) {
	t.Run("by its context", func(t *testing.T) {
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		run := flow.RunOutput(ctx, words, outputs("a", "b", "c"), 1)
		var got []string
		for text := range run.All() {
			got = append(got, text)
			cancel(cause)
		}
		if _, err := run.Result(); !errors.Is(err, cause) || len(got) != 1 {
			t.Error(got, err)
		}
	})
	t.Run("not by a panic of its context", func(t *testing.T) {
		ctx := &brokenContext{Context: t.Context()}
		breaks := step.Map(func(n int) int { ctx.broken = true; return n })
		run := flow.RunOutput(ctx, words, flow.Then(breaks, outputs("a", "b")), 1)
		var got []string
		for text := range run.All() {
			got = append(got, text)
		}
		if _, err := run.Result(); err != nil || !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("%q, %v", got, err)
		}
	})
	t.Run("a limit withdraws a value that nobody took", func(t *testing.T) {
		for name, say := range map[string]step.Step[int, int]{"steps": outputs("late"), "bodies": outputsOfAwait("late")} {
			synctest.Test(t, func(t *testing.T) {
				slow := flow.Then(step.Delay[int](time.Millisecond), flow.OrElse(flow.Timeout(time.Second, say), 0))
				run := flow.RunOutput(t.Context(), words, dropResults(flow.Par(outputs("first"), slow)), 1)
				var got []string
				for text := range run.All() {
					got = append(got, text)
					time.Sleep(time.Minute)
				}
				if _, err := run.Result(); err != nil {
					t.Error(name, err)
				}
				if got[0] != "first" || len(got) > 2 {
					t.Error(name, got)
				}
			})
		}
	})
}

// An undo that hands out values is run to its end, whatever has ended the run.
func TestOutputOfAnUndo(t *testing.T) {
	for name, say := range map[string]step.Step[int, int]{"steps": outputs("undo"), "bodies": outputsOfAwait("undo")} {
		for _, test := range []struct {
			reason string
			limit  time.Duration
			end    func(cancel context.CancelFunc) (more bool)
			want   int // number of values
		}{
			{"a limit", time.Second, func(context.CancelFunc) bool { return true }, 2},
			{"a break", time.Hour, func(context.CancelFunc) bool { return false }, 1},
			{"its context", time.Hour, func(cancel context.CancelFunc) bool { cancel(); return true }, 1},
			{"its context, later", time.Hour, func(cancel context.CancelFunc) bool { time.AfterFunc(time.Second, cancel); return true }, 1},
		} {
			t.Run(name+"/"+test.reason, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					undone, values, after := 0, 0, 0
					undo := flow.Then(say, step.Map(func(n int) int { undone++; return n }))
					ends := flow.Then(outputs("do"), flow.Then(step.Delay[int](time.Minute), step.Map(func(n int) int { after++; return n })))
					run := flow.RunOutput(ctx, words, flow.Timeout(test.limit, flow.Saga(flow.Then(flow.Undo(plantest.Add(1), undo), ends))), 1)
					for range run.All() {
						values++
						if !test.end(cancel) {
							break
						}
					}
					if _, err := run.Result(); err == nil || undone != 1 || values != test.want || after != 0 {
						t.Errorf("%d undone, %d values, %d went on, %v", undone, values, after, err)
					}
				})
			})
		}
	}
}

// brokenContext is a context whose Err panics if broken is set. The goroutine of the run sets and calls it.
type brokenContext struct {
	context.Context
	broken bool
}

func (c *brokenContext) Err() error {
	if c.broken {
		panic(errBoom)
	}
	return nil
}

func TestOutputResult(t *testing.T) {
	run := flow.RunOutput(t.Context(), words, flow.Then(outputs("a"), plantest.Add(1)), 1)
	if out, err := run.Result(); out != 2 || err != nil {
		t.Error(out, err)
	}
	for range run.All() {
		t.Error("the range has values")
	}

	for _, o := range []flow.Output[string]{words, {}} {
		run := flow.RunOutput[string, int, int](t.Context(), o, nil, 1)
		for range run.All() {
			t.Error("the range has values")
		}
		_, err := run.Result()
		plantest.WantCode(t, err, fault.InvalidRequest)
	}

	var heard []error
	ctx := flow.WithOptions(t.Context(), tool.Options{OnError: func(err error) { heard = append(heard, err) }})
	reports := step.Func(func(as step.Scope, n int) (int, error) { as.Loop().Host().Report(errors.New("heard")); return n, nil })
	if _, err := flow.RunOutput(ctx, words, reports, 1).Result(); err != nil || len(heard) != 1 {
		t.Error(err, heard)
	}
}

// A run whose bodies, hooks and cleanups end the goroutine, or whose caller does, is left to its end, and its observer is
// told of the end once.
func TestOutputGoroutineEnds(t *testing.T) {
	ends := func(first bool) step.Step[int, int] {
		return step.New(func(as step.Scope, n int) step.Next[int] {
			step.StackCleanup(as, func(*int) { runtime.Goexit() })
			if first {
				runtime.Goexit()
			}
			return step.Wait(as, func(step.Done[int]) { as.SetCancel(runtime.Goexit) })
		})
	}
	for name, tt := range map[string]struct {
		plan step.Step[int, int]
		body func()
	}{
		"a body does":                  {dropResults(flow.Par(outputs("a"), ends(false), ends(false), ends(true))), func() {}},
		"the caller does":              {dropResults(flow.Par(outputs("a"), ends(false), ends(false))), runtime.Goexit},
		"a goroutine of the run waits": {dropResults(flow.Par(outputs("a"), outputsOfAwait("b", "c"), ends(false))), runtime.Goexit},
	} {
		t.Run(name, func(t *testing.T) {
			leaktest.Check(t)
			begun, ended := 0, 0
			ctx := observe.With(t.Context(), observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
				begun++
				return ctx, func(e observe.Event) {
					if e.Kind == observe.RunEnd {
						ended++
					}
				}
			}))
			ctx = flow.WithOptions(ctx, tool.Options{OnError: func(error) {}})
			run := flow.RunOutput(ctx, words, tt.plan, 1)
			var done sync.WaitGroup
			done.Go(func() {
				for range run.All() {
					tt.body()
				}
			})
			done.Wait()
			if _, err := run.Result(); errors.Is(err, flow.ErrRunning) || err == nil {
				t.Errorf("the result: %v", err)
			}
			if begun != 1 || ended != 1 {
				t.Errorf("observers were told of %d beginnings and %d ends", begun, ended)
			}
		})
	}
}

// A run that doesn't wait hands out its values too.
func TestOutputOfABusyRun(t *testing.T) {
	busy := true
	spins := step.New(func(as step.Scope, n int) step.Next[int] { return step.Succeed(n) })
	var spin flow.Plan[int, int]
	spin = flow.Then(spins, step.New(func(as step.Scope, n int) step.Next[int] {
		if busy {
			return step.Into(as, spin, n)
		}
		return step.Succeed(n)
	}))
	for range flow.RunOutput(t.Context(), words, dropResults(flow.Par(spin, outputs("a"))), 1).All() {
		busy = false
	}
}

func ExampleRunOutput() {
	tokens := flow.NewOutput[string]("tokens")
	ask := step.Await(func(ctx context.Context, question string) (string, error) {
		for _, token := range []string{"forty", "-", "two"} { // as they come from a server
			if err := tokens.Send(ctx, token); err != nil {
				return "", err
			}
		}
		return "the answer to " + question, nil
	})

	run := flow.RunOutput(context.Background(), tokens, flow.Timeout(time.Minute, ask), "everything")
	for token := range run.All() {
		fmt.Print(token, "|")
	}
	fmt.Println()
	fmt.Println(run.Result())
	// Output:
	// forty|-|two|
	// the answer to everything <nil>
}
