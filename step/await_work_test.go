package step_test

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// desk is a loop that keeps its work for the test.
type desk struct {
	*tooltest.Loop
	took    []tool.Work
	stopped []error
	decline bool
}

func newDesk() *desk {
	d := new(desk)
	d.Loop = tooltest.New(tooltest.WithHost(tool.WithWork(func(w tool.Work) (func(error), bool) {
		if d.decline {
			return nil, false
		}
		d.took = append(d.took, w)
		return func(cause error) { d.stopped = append(d.stopped, cause) }, true
	}), tool.WithDeterministic()))
	return d
}

func (d *desk) serve(t *testing.T) {
	t.Helper()
	if len(d.took) == 0 {
		t.Fatal("no work was taken")
	}
	w := d.took[0]
	d.took = d.took[1:]
	out, err := w.Body.Call(w.Context, w.In)
	d.do(t, func() { w.Done(out, err) })
}

// do calls fn on the loop, and then runs what is ready there.
func (d *desk) do(t *testing.T, fn func()) {
	t.Helper()
	if _, err := d.Immediate(fn); err != nil {
		t.Fatal(err)
	}
	d.Advance(0)
}

type who struct{}

var double = flow.Named("double", step.Await(func(ctx context.Context, in int) (int, error) {
	if in < 0 {
		return 0, errBad
	}
	factor, _ := ctx.Value(who{}).(int)
	return factor * in, nil
}))

func TestWorkIsTaken(t *testing.T) {
	d := newDesk()
	ctx := context.WithValue(t.Context(), who{}, 2)
	run := flow.Start(ctx, d, flow.Then(flow.Timeout(time.Minute, double), double), 3)
	d.Advance(0)
	if len(d.took) != 1 {
		t.Fatalf("%d were taken", len(d.took))
	}
	w := d.took[0]
	if w.Kind != "await" || w.Name != "double" || w.Path != "0/0" || w.In.Interface() != 3 {
		t.Errorf("took %+v", w)
	}
	if site := w.Site(); !strings.HasSuffix(site.File, "step/await_work_test.go") {
		t.Errorf("it was built at %v", site)
	}
	if end, ok := w.Context.Deadline(); !ok || end.Sub(d.Host().Time(d.Now())) != time.Minute {
		t.Errorf("C8: the deadline is %v, %v", end, ok)
	}
	d.serve(t)
	if w.Context.Err() == nil {
		t.Error("the context of work that is done has not ended")
	}
	d.serve(t)
	if v, err := run.Result(); v != 12 || err != nil {
		t.Errorf("got %v, %v", v, err)
	}
	if len(d.stopped) != 0 {
		t.Errorf("work that was done was told to stop: %v", d.stopped)
	}
}

// E6: errors.Is finds the error of a body, and a result of another type is an error.
func TestWorkFails(t *testing.T) {
	d := newDesk()
	run := flow.Start(t.Context(), d, double, -1)
	d.Advance(0)
	d.serve(t)
	if _, err := run.Result(); !errors.Is(err, errBad) {
		t.Errorf("got %v", err)
	}
	for _, out := range []reflect.Value{{}, reflect.ValueOf("no int")} {
		run = flow.Start(t.Context(), d, double, 1)
		d.Advance(0)
		w := d.took[0]
		d.took = nil
		d.do(t, func() {
			if w.Done(out, nil) {
				t.Errorf("%v was taken for an int", out)
			}
		})
		if _, err := run.Result(); fault.CodeOf(err) != fault.InternalError || !strings.Contains(err.Error(), "another type") {
			t.Errorf("got %v", err)
		}
	}
}

// The result may have any type that can be assigned to that of the step.
func TestWorkGivesAnAssignable(t *testing.T) {
	d := newDesk()
	run := flow.Start(t.Context(), d, step.Await(func(context.Context, int) (any, error) { return nil, nil }), 1)
	d.Advance(0)
	d.do(t, func() {
		if !d.took[0].Done(reflect.ValueOf("text"), nil) {
			t.Error("a string wasn't taken for an any")
		}
	})
	if v, err := run.Result(); v != "text" || err != nil {
		t.Errorf("got %v, %v", v, err)
	}
}

// The context of work that the loop declines has ended, and a cancel of the step waits for nobody.
func TestWorkDeclinedIsOver(t *testing.T) {
	var offered context.Context
	loop := tooltest.New(tooltest.WithHost(tool.WithWork(func(w tool.Work) (func(error), bool) {
		offered = w.Context
		return nil, w.Context.Err() != nil
	})))
	stuck := step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) })
	run := flow.Start(t.Context(), loop, flow.Named("stuck", flow.Call(stuck)), 1)
	loop.Advance(0)
	if offered == nil || offered.Err() == nil {
		t.Error("the context of the work goes on")
	}
	run.Cancel(nil)
	loop.Advance(0)
	select {
	case <-run.Done():
	default:
		t.Error("the run waits for work that nobody does")
	}
	loop.Run()
}

// C7: a step that is left tells its work to stop, once, and waits for Done up to the grace.
func TestWorkIsStopped(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer time.Duration // when Done is called, after the limit
		ends   time.Duration
		left   int // number of works that are reported as left behind
	}{
		{"in time", 300 * time.Millisecond, 1300 * time.Millisecond, 0},
		{"too late", 5 * time.Second, 2 * time.Second, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk()
			run := flow.Start(t.Context(), d, flow.Timeout(time.Second, flow.Par(double, double)), 1)
			ended := time.Duration(-1)
			run.Then(func([]int, error) { ended = d.Now() })
			d.Advance(time.Second)
			if len(d.stopped) != 2 || !errors.Is(d.stopped[0], fault.Timeout) {
				t.Fatalf("told to stop: %v", d.stopped)
			}
			if cause := context.Cause(d.took[0].Context); !errors.Is(cause, fault.Timeout) {
				t.Errorf("C8: the context of the work ended with %v", cause)
			}
			d.serve(t)
			if _, err := d.Deferred(c.answer, func() {
				w := d.took[0]
				if w.Done(reflect.ValueOf(1), nil) {
					t.Error("a step that was left is completed")
				}
			}); err != nil {
				t.Fatal(err)
			}
			d.Run()
			if _, err := run.Result(); !errors.Is(err, fault.Timeout) || ended != c.ends {
				t.Errorf("ended at %v with %v, want at %v", ended, err, c.ends)
			}
			if errs := d.Errors(); len(errs) != c.left {
				t.Errorf("reported %v, want %d", errs, c.left)
			}
			if len(d.stopped) != 2 {
				t.Errorf("told to stop %d times, want once each", len(d.stopped))
			}
		})
	}
}

// The run fails if the function that takes its work panics. A panic of the function that stops work is reported.
func TestWorkBreaksOff(t *testing.T) {
	take := func(tool.Work) (func(error), bool) { panic("no desk") }
	loop := tooltest.New(tooltest.WithHost(tool.WithWork(func(w tool.Work) (func(error), bool) { return take(w) })))
	run := flow.Start(t.Context(), loop, double, 1)
	loop.Run()
	if _, err := run.Result(); fault.CodeOf(err) != fault.InternalError || !strings.Contains(err.Error(), "no desk") {
		t.Errorf("got %v", err)
	}

	take = func(w tool.Work) (func(error), bool) {
		return func(error) {
			w.Done(reflect.Value{}, errBad)
			panic("no bell")
		}, true
	}
	run = flow.Start(t.Context(), loop, flow.Timeout(time.Second, double), 1)
	loop.Run()
	if _, err := run.Result(); !errors.Is(err, fault.Timeout) {
		t.Errorf("got %v", err)
	}
	if errs := loop.Errors(); len(errs) != 1 || !strings.Contains(errs[0].Error(), "no bell") {
		t.Errorf("reported %v", errs)
	}
}

// A cancel or a limit goes on if the function that stops the work ends its goroutine. The other work is stopped
// too, unless it is done by then.
func TestWorkStopEndsItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var took []tool.Work
		var told []int
		loop := tool.Start(tool.Options{
			OnError: func(error) {},
			Host: []tool.HostOption{tool.WithWork(func(w tool.Work) (func(error), bool) {
				i := len(took)
				took = append(took, w)
				return func(error) {
					if told = append(told, i); i == 1 {
						took[2].Done(reflect.Value{}, errBad)
					}
					runtime.Goexit()
				}, true
			})},
		})
		defer func() { _ = loop.Shutdown(context.WithoutCancel(t.Context())) }()
		var asked []error
		caught := flow.Catch(flow.Timeout(time.Second, flow.Par(double, flow.First(double, double))),
			func(_ step.Scope, err error) step.Next[[]int] {
				asked = append(asked, err)
				return step.Succeed([]int{7})
			})
		for _, limit := range []bool{true, false} {
			took, told, asked = nil, nil, nil
			run := flow.Start(t.Context(), loop, caught, 1)
			synctest.Wait()
			if !limit {
				run.Cancel(nil)
			}
			<-run.Done()
			v, err := run.Result()
			if limit && (err != nil || len(v) != 1 || len(asked) != 1 || !errors.Is(asked[0], fault.Timeout)) {
				t.Errorf("limit: ended with %v, %v, and the handler was asked about %v", v, err, asked)
			}
			if !limit && (!errors.Is(err, fault.Cancelled) || len(asked) != 0) {
				t.Errorf("cancel: ended with %v, %v, and the handler was asked about %v", v, err, asked)
			}
			if want := []int{0, 1}; !slices.Equal(told, want) {
				t.Errorf("limit %t: told to stop are %v, want %v", limit, told, want)
			}
		}
	})
}

// Work is also offered by runs that a run starts on its loop, and by flow.Run with a function that takes work, in a flow.On too.
func TestWorkIsInherited(t *testing.T) {
	d := newDesk()
	outer := flow.AwaitRun(func(ctx context.Context, in int) *flow.Running[int] {
		return flow.Start(ctx, d, double, in)
	})
	nested := step.New(func(as step.Scope, in int) step.Next[int] {
		if as.Loop() != tool.Tool(d) {
			t.Error("the loop of the run is another one")
		}
		return step.Into(as, outer, in)
	})
	run := flow.Start(context.WithValue(t.Context(), who{}, 3), d, nested, 2)
	d.Advance(0)
	d.serve(t)
	if v, err := run.Result(); v != 6 || err != nil {
		t.Errorf("got %v, %v", v, err)
	}

	ctx := flow.WithOptions(t.Context(), tool.Options{Host: []tool.HostOption{tool.WithWork(func(w tool.Work) (func(error), bool) {
		w.Done(reflect.ValueOf(7), nil)
		return nil, true
	})}})
	g := tool.NewGroup(1, tool.Options{})
	if v, err := flow.Run(ctx, flow.On(g, double), 1); v != 7 || err != nil {
		t.Errorf("got %v, %v", v, err)
	}
	if err := g.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// If the loop declines the work, a goroutine calls the body, unless the loop is deterministic.
func TestWorkIsDeclined(t *testing.T) {
	asked := 0
	ctx := flow.WithOptions(context.WithValue(t.Context(), who{}, 4), tool.Options{Host: []tool.HostOption{
		tool.WithWork(func(tool.Work) (func(error), bool) { asked++; return nil, false }),
	}})
	call := flow.Named("call", flow.Call(double))
	if v, err := flow.Run(ctx, flow.Then(double, call), 1); v != 16 || err != nil || asked != 3 {
		t.Errorf("got %v, %v, asked %d times", v, err, asked)
	}

	d := newDesk()
	d.decline = true
	run := flow.Start(t.Context(), d, double, 1)
	d.Run()
	if _, err := run.Result(); fault.CodeOf(err) != fault.InternalError || !strings.Contains(err.Error(), "step 0 double needs a goroutine") {
		t.Errorf("got %v", err)
	}
}

func TestWorkOfCalls(t *testing.T) {
	d := newDesk()
	plain := flow.Call(step.Map(func(in int) int { return in + 1 }))
	run := flow.Start(t.Context(), d, flow.Chain(plain, flow.Named("more", plain), flow.Named("again", plain)), 1)
	d.Advance(0)
	for range 2 {
		w := d.took[0]
		d.took = d.took[1:]
		if w.Kind != "call" || w.Body.Call != nil || w.Body.Start == nil {
			t.Fatalf("took %+v", w)
		}
		inner := tooltest.New()
		w.Body.Start(t.Context(), inner, w.In, func(out reflect.Value, err error) {
			d.do(t, func() { w.Done(out, err) })
		})
		inner.Run()
	}
	if v, err := run.Result(); v != 4 || err != nil {
		t.Errorf("got %v, %v", v, err)
	}
}

func TestDeterministicRefusesForeigners(t *testing.T) {
	d := newDesk()
	var kept step.Done[int]
	wait := flow.Named("bell", step.New(func(as step.Scope, _ int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) { kept = done })
	}))
	run := flow.Start(t.Context(), d, wait, 1)
	d.Advance(0)
	if kept.Succeed(1) || !kept.Valid() {
		t.Error("a foreign goroutine has completed the step")
	}
	if errs := d.Errors(); len(errs) != 1 || !strings.Contains(errs[0].Error(), "step 0 bell was completed by a goroutine that isn't its loop's") {
		t.Errorf("reported %v", errs)
	}
	d.do(t, func() {
		if !kept.Succeed(2) {
			t.Error("the loop has not completed the step")
		}
	})
	if v, err := run.Result(); v != 2 || err != nil {
		t.Errorf("got %v, %v", v, err)
	}
	if kept.Succeed(3) || len(d.Errors()) != 1 {
		t.Errorf("a late completion is no mistake (C6): %v", d.Errors())
	}
}

func TestStateIsSorted(t *testing.T) {
	p := step.Func(func(as step.Scope, names string) (string, error) {
		for _, name := range names {
			as.State().Set(string(name), true)
		}
		var got strings.Builder
		for name := range as.State().All() {
			as.State().Delete("x") // a deleted variable isn't visited
			got.WriteString(name)
		}
		return got.String(), nil
	})
	plantest.WantResult(t, p, "hxcaegbfd", "abcdefgh")
}
