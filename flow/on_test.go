package flow_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// newGroup makes a group of n loops, which must shut down without an error at the end of the test.
func newGroup(t *testing.T, n int) *tool.Group {
	t.Helper()
	g := tool.NewGroup(n, tool.Options{OnError: func(err error) { t.Errorf("reported: %v", err) }})
	t.Cleanup(func() {
		if err := g.Shutdown(context.Background()); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
	return g
}

func onLoop(at *tool.Tool) step.Step[int, int] {
	return step.Func(func(as step.Scope, in int) (int, error) {
		*at = as.Loop()
		return in, nil
	})
}

var wrongs = map[string]step.Step[int, int]{
	"error":     flow.Then(plantest.Add(1), flow.Named("bad", step.Func(fail))),
	"branch":    sum[int](flow.Par(plantest.Add(1), flow.Then(plantest.Add(1), step.Func(fail)))),
	"recovered": flow.Then(flow.Catch(step.Func(fail), nobody), step.Func(fail)),
	"panic":     step.Map(func(int) int { panic("no") }),
	"handler":   flow.Catch(step.Func(fail), func(step.Scope, error) step.Next[int] { return step.Fail[int](errSecond) }),
	"timeout":   flow.Named("slow", flow.Timeout(time.Millisecond, step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) }))),
}

func wantAlike(t *testing.T, name string, got, want *fault.Error) {
	t.Helper()
	if got == nil || got.Code != want.Code || got.Path != want.Path || got.Name != want.Name ||
		got.Site.String() != want.Site.String() || len(got.Unwind) != len(want.Unwind) {
		t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
		return
	}
	for i, f := range got.Unwind {
		if w := want.Unwind[i]; f.Path != w.Path || f.What != w.What {
			t.Errorf("%s: level %d is %v, want %v", name, i, f, w)
		}
	}
}

func TestP9On(t *testing.T) {
	g := newGroup(t, 2)
	t.Run("value, on a loop of the group", func(t *testing.T) {
		var inside, after tool.Tool
		p := flow.Then(flow.On(g, flow.Then(plantest.Add(1), onLoop(&inside))), flow.Then(plantest.Add(1), onLoop(&after)))
		if v, err := flow.Run(t.Context(), p, 1); v != 3 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
		if inside != g.Loops()[0] && inside != g.Loops()[1] || after == inside {
			t.Errorf("inside on %v, after it on %v", inside, after)
		}
	})
	t.Run("from a loop of the group, nested, in branches", func(t *testing.T) {
		leaf := flow.On(g, plantest.Add(1))
		inner := flow.On(g, sum[int](flow.Par(leaf, leaf, leaf)))
		run := flow.Start(t.Context(), g.Next(), sum[int](flow.Par(inner, inner)), 1)
		if v, err := run.Wait(t.Context()); v != 12 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
	})
	t.Run("errors are those without it", func(t *testing.T) {
		for name, s := range wrongs {
			around := func(s step.Step[int, int]) (met, result *fault.Error) {
				_, err := flow.Run(t.Context(), flow.Then(plantest.Add(0), flow.Catch(flow.Of(s), func(_ step.Scope, err error) step.Next[int] {
					met = &fault.Error{Code: fault.CodeOf(err), Info: fault.InfoOf(err)}
					return step.Unwind[int]()
				})), 1)
				result, _ = errors.AsType[*fault.Error](err)
				return met, result
			}
			met, got := around(flow.On(g, s))
			wantMet, want := around(flow.Call(s))
			if met.Code != wantMet.Code || name != "timeout" && met.Info != wantMet.Info {
				t.Errorf("%s: the handler met %v, want %v", name, met, wantMet)
			}
			wantAlike(t, name, got, want)
			if got == nil {
				continue
			}
			if name != "timeout" && strings.ReplaceAll(got.Error(), "on", "") != strings.ReplaceAll(want.Error(), "on", "") {
				t.Errorf("%s:\n got %v\nwant %v", name, got, want)
			}
		}
	})
	t.Run("an error that is replaced outside is another one", func(t *testing.T) {
		p := flow.Then(plantest.Add(0), flow.Catch(flow.On(g, flow.Then(plantest.Add(0), step.Func(fail))),
			func(step.Scope, error) step.Next[int] { return step.Fail[int](errSecond) }))
		_, err := flow.Run(t.Context(), p, 1)
		if e, ok := errors.AsType[*fault.Error](err); !ok || !errors.Is(err, errSecond) || e.Path != "1" {
			t.Errorf("%v", err)
		}
	})
	t.Run("context: values, deadline and priority go along", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(syncx.WithPriority(t.Context(), 7), time.Hour)
		defer cancel()
		want, _ := ctx.Deadline()
		_, err := flow.Run(ctx, flow.On(g, step.Func(func(as step.Scope, in int) (int, error) {
			if at, ok := as.Context().Deadline(); !ok || !at.Equal(want) || syncx.PriorityOf(as.Context()) != 7 {
				t.Errorf("%v %t, priority %d", at, ok, syncx.PriorityOf(as.Context()))
			}
			return in, nil
		})), 1)
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("break doesn't leave it", func(t *testing.T) {
		body := flow.On(g, step.New(func(step.Scope, loopx.Iteration[int]) step.Next[int] { return loopx.Break[int]() }))
		p := loopx.Repeat(3, body)
		if _, err := flow.Run(t.Context(), p, 1); !errors.Is(err, fault.InternalError) {
			t.Errorf("got %v", err)
		}
	})
}

// P9: when the step is left, the run on the other loop ends before the step's hook is called.
func TestP9OnIsJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, 2)
		var begun sync.WaitGroup
		var left, hooks atomic.Int32
		stays := flow.OnCancel(flow.Shield(flow.Then(step.Func(func(_ step.Scope, in int) (int, error) {
			begun.Done()
			return in, nil
		}), step.Delay[int](20*time.Millisecond))), func(step.Scope) { left.Add(1) })
		p := flow.OnCancel(flow.On(g, flow.On(g, stays)), func(step.Scope) {
			if left.Load() == 1 {
				hooks.Add(1)
			}
		})
		for what, s := range map[string]step.Step[int, int]{
			"cancel":  p,
			"timeout": flow.Timeout(5*time.Millisecond, p),
			"sibling": sum[int](flow.Par(p, flow.Then(step.Func(func(_ step.Scope, in int) (int, error) {
				begun.Wait() //stepvet:ignore the other branch goes on on a loop of the group
				return in, nil
			}), step.Func(fail)))),
		} {
			left.Store(0)
			hooks.Store(0)
			begun = sync.WaitGroup{}
			begun.Add(1)
			ctx, cancel := context.WithCancelCause(t.Context())
			if what == "cancel" {
				go func() { begun.Wait(); cancel(errFirst) }()
			}
			_, err := flow.Run(ctx, s, 1)
			cancel(nil)
			want := map[string]error{"cancel": fault.Cancelled, "timeout": fault.Timeout, "sibling": errFirst}[what]
			if !errors.Is(err, want) || hooks.Load() != 1 {
				t.Errorf("%s: %v, %d hooks", what, err, hooks.Load())
			}
		}
	})
}

func TestP9OnLateErrors(t *testing.T) {
	g := newGroup(t, 1)
	begun := make(chan struct{})
	p := flow.On(g, flow.OnCancel(step.New(func(as step.Scope, _ int) step.Next[int] {
		close(begun)
		return step.Wait[int](as, nil)
	}), func(step.Scope) { panic("late") }))
	ctx, cancel := context.WithCancel(t.Context())
	run := flow.Start(ctx, g.Next(), flow.Then(plantest.Add(1), p), 1)
	<-begun
	cancel()
	_, err := run.Wait(context.WithoutCancel(ctx))
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Code != fault.Cancelled || len(e.Secondary) != 1 || !strings.Contains(e.Secondary[0].Error(), "late") {
		t.Errorf("%+v", err)
	}
}

// P9, P10, P6: it is a deadlock if a step holds a guard for which its own run on another loop waits, through parts and
// races too.
func TestP9OnAndDeadlocks(t *testing.T) {
	g := newGroup(t, 2)
	m := syncx.NewMutex(1, -1)
	_, err := flow.Run(t.Context(), syncx.Sync(m, flow.On(g, sum[int](flow.Par(syncx.Sync(m, plantest.Add(1)), plantest.Add(1))))), 1)
	if !errors.Is(err, syncx.Deadlock) || m.Inside() != 0 || m.Queued() != 0 {
		t.Errorf("%v, %d inside, %d queued", err, m.Inside(), m.Queued())
	}
	around := map[string]func(step.Step[int, int]) step.Step[int, int]{
		"a part":              func(s step.Step[int, int]) step.Step[int, int] { return flow.Linger(time.Hour, s) },
		"a part, in a branch": func(s step.Step[int, int]) step.Step[int, int] { return flow.Linger(time.Hour, sum[int](flow.Par(s))) },
		"parts":               func(s step.Step[int, int]) step.Step[int, int] { return lingersAround(3, s) },
		"a race":              func(s step.Step[int, int]) step.Step[int, int] { return flow.First(s, s) },
		"a race of parts": func(s step.Step[int, int]) step.Step[int, int] {
			return flow.First(lingersAround(2, s), lingersAround(1, s))
		},
		"parts on loops": func(s step.Step[int, int]) step.Step[int, int] {
			return lingersAround(2, flow.On(g, lingersAround(2, s)))
		},
		"a race with an end": func(s step.Step[int, int]) step.Step[int, int] { return flow.First(s, step.Func(fail)) },
	}
	for name, around := range around {
		s := syncx.Sync(m, around(flow.On(g, syncx.Sync(m, plantest.Add(1)))))
		if _, err := flow.Run(t.Context(), s, 1); !errors.Is(err, syncx.Deadlock) || m.Inside() != 0 || m.Queued() != 0 {
			t.Errorf("through %s: %v, %d inside, %d queued", name, err, m.Inside(), m.Queued())
		}
	}
	p := syncx.Sync(m, flow.On(g, plantest.Add(1)))
	if v, err := flow.Run(t.Context(), sum[int](flow.Par(p, p, flow.On(g, syncx.Sync(m, plantest.Add(1))))), 1); v != 6 || err != nil {
		t.Errorf("got %d, %v", v, err)
	}
}

func TestP9OnADeterministicLoop(t *testing.T) {
	g := newGroup(t, 1)
	loop := tooltest.New(tooltest.WithHost(tool.WithDeterministic()))
	for name, c := range map[string]struct {
		s    step.Step[int, int]
		want fault.Code
	}{
		"value":  {flow.On(g, flow.Then(plantest.Add(1), step.Delay[int](time.Second))), ""},
		"error":  {flow.On(g, flow.Then(plantest.Add(1), step.Func(fail))), fault.CodeOf(errFirst)},
		"limit":  {flow.Timeout(time.Millisecond, flow.On(g, step.Delay[int](time.Second))), fault.Timeout},
		"cancel": {flow.On(g, step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) })), fault.Cancelled},
	} {
		run := flow.Start(t.Context(), loop, c.s, 1)
		loop.Run()
		if c.want == fault.Cancelled {
			run.Cancel(nil)
			loop.Run()
		}
		select {
		case <-run.Done():
		default:
			t.Fatalf("%s: it hasn't ended; reported: %v", name, loop.Errors())
		}
		if v, err := run.Result(); fault.CodeOf(err) != c.want || err == nil && v != 2 {
			t.Errorf("%s: %d, %v", name, v, err)
		}
	}
	if got := loop.Errors(); len(got) != 0 {
		t.Errorf("reported: %v", got)
	}
}

func TestP9OnIsRefused(t *testing.T) {
	if err := flow.On(nil, plantest.Add(1)).Err(); err == nil || !strings.Contains(err.Error(), "the group is nil") {
		t.Error(err)
	}
	if err := flow.On[int, int](newGroup(t, 1), nil).Err(); err == nil {
		t.Error("no stage")
	}
	books := func(s step.Step[int, int]) step.Step[int, int] { return flow.Undo(s, plantest.Add(-1)) }
	g := newGroup(t, 1)
	for name, c := range map[string]struct {
		s   step.Step[int, int]
		bad int
	}{
		"an Undo":                    {flow.On(g, books(plantest.Add(1))), 1},
		"in a Saga":                  {flow.Saga(flow.On(g, flow.Then(plantest.Add(1), books(plantest.Add(1))))), 1},
		"in a Saga inside":           {flow.On(g, flow.Saga(flow.Then(plantest.Add(1), books(plantest.Add(1))))), 0},
		"around":                     {flow.Saga(books(flow.On(g, plantest.Add(1)))), 0},
		"in two":                     {flow.Saga(flow.On(g, flow.On(g, books(plantest.Add(1))))), 1},
		"in two, and a Saga between": {flow.On(g, flow.Saga(flow.On(g, books(plantest.Add(1))))), 1},
		"as a part of something":     {books(plantest.Add(1)), 0},
	} {
		err := flow.Of(c.s).Err()
		if n := strings.Count(fmt.Sprint(err), "no Saga finds the Undo in it (on_test.go:"); n != c.bad || (err == nil) != (c.bad == 0) {
			t.Errorf("%s: %v", name, err)
		}
	}
	closed := tool.NewGroup(2, tool.Options{})
	if err := closed.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]*tool.Group{"closed": closed, "zero": new(tool.Group)} {
		_, err := flow.Run(t.Context(), flow.Then(plantest.Add(1), flow.On(g, plantest.Add(1))), 1)
		if !errors.Is(err, tool.ErrShutdown) || !strings.Contains(err.Error(), "at 1") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// M10: runs of a group that shuts down use its other loops until patience ends; runs from elsewhere can't.
func TestM10OnWhileTheGroupShutsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := tool.NewGroup(2, tool.Options{})
		var asked, done atomic.Int32
		part := flow.Then(step.Map(func(n int) int { asked.Add(1); return n }), flow.On(g, flow.Then(step.Delay[int](20*time.Millisecond), plantest.Add(1))))
		inside := flow.Start(t.Context(), g.Next(), flow.Then(step.Delay[int](20*time.Millisecond), flow.Then(part, part)), 1)
		late := flow.Start(t.Context(), g.Next(), flow.Shield(flow.Then(step.Delay[int](300*time.Millisecond), part)), 1)
		outside := make(chan error, 1)
		go func() {
			_, err := flow.Run(t.Context(), flow.Then(step.Delay[int](20*time.Millisecond), part), 1)
			outside <- err
		}()
		inside.Then(func(int, error) { done.Add(1) })
		time.Sleep(10 * time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if err := g.Shutdown(ctx); !errors.Is(err, tool.ErrShutdown) || errors.Is(err, tool.ErrStuck) {
			t.Errorf("Shutdown: %v", err)
		}
		if v, err := inside.Wait(t.Context()); v != 3 || err != nil {
			t.Errorf("a run of the group: %d, %v", v, err)
		}
		if _, err := late.Wait(t.Context()); !errors.Is(err, fault.Cancelled) || !errors.Is(err, tool.ErrShutdown) {
			t.Errorf("a run that goes on when patience has ended: %v", err)
		}
		if err := <-outside; !errors.Is(err, tool.ErrShutdown) {
			t.Errorf("a run from elsewhere: %v", err)
		}
		if asked.Load() != 4 || done.Load() != 1 {
			t.Errorf("asked %d times, %d have ended", asked.Load(), done.Load())
		}
	})
}

func TestP9OnGoexit(t *testing.T) {
	g := tool.NewGroup(1, tool.Options{OnError: func(error) {}})
	defer func() { _ = g.Shutdown(t.Context()) }()
	p := flow.On(g, step.Map(func(n int) int {
		if n == 1 {
			runtime.Goexit()
		}
		return n
	}))
	for n, want := range []fault.Code{"", fault.InternalError, ""} {
		if v, err := flow.Run(t.Context(), p, n); fault.CodeOf(err) != want || err == nil && v != n {
			t.Errorf("%d: %d, %v", n, v, err)
		}
	}
}

// P9: many runs on several loops, some of them cancelled, end with an expected result.
func TestP9OnStress(t *testing.T) {
	g := newGroup(t, 4)
	var inside atomic.Int32
	leaf := flow.On(g, step.New(func(as step.Scope, in int) step.Next[int] {
		inside.Add(1)
		step.StackCleanup(as, func(*struct{}) { inside.Add(-1) })
		return step.Into(as, step.Delay[int](time.Microsecond), in)
	}))
	tree := flow.On(g, flow.ParEach(4, leaf))
	in := make([]int, 20)
	for i := range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		run := flow.Start(ctx, g.Next(), flow.Par(tree, tree), in)
		if i%2 == 0 {
			runtime.Gosched()
			cancel()
		}
		<-run.Done()
		if _, err := run.Result(); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if n := inside.Load(); n != 0 {
			t.Fatalf("%d steps outlive their run", n)
		}
		cancel()
	}
}
