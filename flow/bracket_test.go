package flow_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// release returns a release that takes half a second and records how use has ended.
func (rec *recorder) release(name string) step.Step[flow.Ended[int, int], int] {
	type in = flow.Ended[int, int]
	begin := step.Map(func(e in) in {
		switch {
		case e.Err == nil:
			rec.Recordf("%s: release %d, value %d", name, e.Resource, e.Value)
		case e.Cancelled:
			rec.Recordf("%s: release %d, cancelled: %s", name, e.Resource, fault.CodeOf(e.Err))
		default:
			rec.Recordf("%s: release %d, error: %s", name, e.Resource, fault.CodeOf(e.Err))
		}
		return e
	})
	end := step.Map(func(e in) int { rec.Recordf("%s: released", name); return e.Resource })
	return flow.Then(flow.Then(begin, step.Delay[in](oneSecond/2)), end)
}

// bracket returns a Bracket around use. The resource is the input plus 100.
func (rec *recorder) bracket(name string, use step.Step[int, int]) flow.Plan[int, int] {
	return flow.Bracket(flow.Then(step.Delay[int](oneSecond), plantest.Add(100)), use, rec.release(name))
}

func TestBracket(t *testing.T) {
	t.Run("K2 a value", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.Then(rec.bracket("a", plantest.Add(1)), rec.passing("next")), 5, 106)
		rec.Want(t, "a: release 105, value 106", "a: released", "next")
	})
	t.Run("K2 an error, before handlers are asked", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, rec.recordError("outside", rec.bracket("a", rec.recordError("inside", failAfter(oneSecond, errFirst)))), 5)
		if e := plantest.WantCode(t, err, errFirst.Code); e.Path != "0/0/1" || len(e.Secondary) != 0 {
			t.Errorf("path %q, secondary %v", e.Path, e.Secondary)
		}
		rec.Want(t, "inside: First", "a: release 105, error: First", "a: released", "outside: First")
	})
	t.Run("K2 the handler of the step itself", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, rec.recoverWith("own", 7, rec.bracket("a", step.Func(fail))), 5, 7)
		rec.Want(t, "a: release 105, error: First", "a: released", "own: First")
	})
	t.Run("K2 a panic", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, rec.bracket("a", step.Map(func(int) int { panic("a bug") })), 5)
		plantest.WantCode(t, err, fault.InternalError)
		rec.Want(t, "a: release 105, error: InternalError", "a: released")
	})
	t.Run("K2 an acquire that fails is not released", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, flow.Bracket(failAfter(oneSecond, errFirst), rec.passing("use"), rec.release("a")), 5)
		if e := plantest.WantCode(t, err, errFirst.Code); e.Path != "0/bracket.0/1" {
			t.Errorf("path %q", e.Path)
		}
		rec.Want(t)
	})
	t.Run("K2 a timeout around", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, rec.recordError("outside", flow.Timeout(3*oneSecond, rec.bracket("a", rec.recordError("inside", rec.waitingInt("hook"))))), 5)
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t, "hook", "a: release 105, cancelled: Timeout", "a: released", "outside: Timeout")
	})
	t.Run("K2 a timeout inside", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, rec.bracket("a", flow.Timeout(3*oneSecond, rec.waitingInt("hook"))), 5)
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t, "hook", "a: release 105, error: Timeout", "a: released")
	})
	t.Run("K2 nested", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, rec.bracket("a", rec.bracket("b", rec.bracket("c", step.Func(fail)))), 5)
		plantest.WantCode(t, err, errFirst.Code)
		rec.Want(t, "c: release 305, error: First", "c: released", "b: release 205, error: First", "b: released", "a: release 105, error: First", "a: released")
	})
	t.Run("K2 break and continue through it", func(t *testing.T) {
		var rec recorder
		body := flow.Then(step.Map(func(i loopx.Iteration[int]) int { return i.Index }), rec.bracket("a", step.New(func(_ step.Scope, n int) step.Next[int] {
			if n == 100 {
				return loopx.Continue[int]()
			}
			return loopx.Break[int]()
		})))
		plantest.WantResult(t, loopx.Repeat(5, body), 5, 5)
		rec.Want(t, "a: release 100, cancelled: Cancelled", "a: released", "a: release 101, cancelled: Cancelled", "a: released")
	})
	t.Run("K2 a sibling that fails", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, sum[int](flow.Par(rec.bracket("a", rec.waitingInt("hook a")), rec.bracket("b", rec.waitingInt("hook b")), failAfter(2*oneSecond, errSecond))), 5)
		plantest.WantCode(t, err, errSecond.Code)
		rec.Want(t, "hook a", "a: release 105, cancelled: Second", "hook b", "b: release 105, cancelled: Second", "a: released", "b: released")
	})
	t.Run("K2 the one that loses a race", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.First(rec.bracket("a", rec.waitingInt("hook a")), later(2*oneSecond, 1)), 5, 6)
		rec.Want(t, "hook a", "a: release 105, cancelled: Cancelled", "a: released")
	})
	t.Run("K2 again and again in the same memory", func(t *testing.T) {
		var rec recorder
		p := flow.Catch(rec.bracket("a", step.Func(fail)), func(step.Scope, error) step.Next[int] { return step.Succeed(1) })
		plantest.WantResult(t, loopx.Repeat(2, flow.Then(step.Map(func(i loopx.Iteration[int]) int { return i.Carry }), flow.Then(p, p))), 5, 1)
		rec.Want(t, "a: release 105, error: First", "a: released", "a: release 101, error: First", "a: released",
			"a: release 101, error: First", "a: released", "a: release 101, error: First", "a: released")
	})
}

func TestK2CancelOfABracket(t *testing.T) {
	for name, c := range map[string]struct {
		at   time.Duration
		want []string
	}{
		"K3 while it acquires":     {oneSecond / 2, []string{"a: release 105, cancelled: Stop", "a: released"}},
		"while it uses":            {3 * oneSecond / 2, []string{"hook", "a: release 105, cancelled: Stop", "a: released"}},
		"while it releases":        {2*oneSecond + oneSecond/4, []string{"a: release 105, value 105", "a: released"}},
		"K3 after it has released": {3 * oneSecond, []string{"a: release 105, value 105", "a: released"}},
	} {
		t.Run(name, func(t *testing.T) {
			var rec recorder
			use := flow.OnCancel(step.Delay[int](oneSecond), func(step.Scope) { rec.Recordf("hook") })
			loop, run := plantest.Start(t, rec.recordError("handler", flow.Then(rec.bracket("a", use), step.Delay[int](9*oneSecond))), 5)
			loop.Advance(c.at)
			stop := fault.New("Stop", "by the test")
			run.Cancel(stop)
			run.Cancel(errFirst)
			loop.Run()
			_, err := plantest.Result(t, run)
			if e := plantest.WantCode(t, err, fault.Cancelled); !errors.Is(e, stop) || len(e.Secondary) != 0 {
				t.Errorf("got %v", err)
			}
			rec.Want(t, c.want...)
		})
	}
}

func TestK2ErrorsOfARelease(t *testing.T) {
	release := func(end func(flow.Ended[int, int]) (int, error)) step.Step[flow.Ended[int, int], int] {
		return step.Func(func(_ step.Scope, e flow.Ended[int, int]) (int, error) { return end(e) })
	}
	ways := map[string]struct {
		release step.Step[flow.Ended[int, int], int]
		code    fault.Code
	}{
		"error": {release(func(flow.Ended[int, int]) (int, error) { return 0, errSecond }), errSecond.Code},
		"panic": {release(func(flow.Ended[int, int]) (int, error) { panic("a bug") }), fault.InternalError},
	}
	for name, way := range ways {
		t.Run(name+": of the step, if use has succeeded", func(t *testing.T) {
			_, err := plantest.Run(t, flow.Bracket(plantest.Add(1), plantest.Add(1), way.release), 1)
			if e := plantest.WantCode(t, err, way.code); e.Path != "0/bracket.2/0" || len(e.Secondary) != 0 {
				t.Errorf("path %q, secondary %v", e.Path, e.Secondary)
			}
		})
		t.Run(name+": secondary to an error", func(t *testing.T) {
			_, err := plantest.Run(t, flow.Bracket(plantest.Add(1), step.Func(fail), way.release), 1)
			if e := plantest.WantCode(t, err, errFirst.Code); len(e.Secondary) != 1 || fault.CodeOf(e.Secondary[0]) != way.code {
				t.Errorf("secondary %v", e.Secondary)
			}
		})
		t.Run(name+": secondary to a cancel", func(t *testing.T) {
			loop, run := plantest.Start(t, flow.Bracket(plantest.Add(1), step.Delay[int](oneSecond), way.release), 1)
			loop.Advance(oneSecond / 2)
			run.Cancel(errFirst)
			loop.Run()
			_, err := plantest.Result(t, run)
			if e := plantest.WantCode(t, err, fault.Cancelled); len(e.Secondary) != 1 || fault.CodeOf(e.Secondary[0]) != way.code {
				t.Errorf("secondary %v", e.Secondary)
			}
		})
		t.Run(name+": reported if a break leaves it", func(t *testing.T) {
			loop := tooltest.New()
			use := step.New(func(step.Scope, int) step.Next[int] { return loopx.Break[int]() })
			run := flow.Start(t.Context(), loop, loopx.Repeat(3, flow.Then(step.Map(func(i loopx.Iteration[int]) int { return i.Carry }), flow.Bracket(plantest.Add(1), use, way.release))), 1)
			loop.Run()
			if v, err := plantest.Result(t, run); v != 1 || err != nil {
				t.Errorf("got %v, %v", v, err)
			}
			if errs := loop.Errors(); len(errs) != 1 || fault.CodeOf(errs[0]) != way.code {
				t.Errorf("reported: %v", errs)
			}
		})
	}
}

// Goexit ends the goroutine of the loop, which goes on with a new one.
func TestK2Goexit(t *testing.T) {
	exit := func(bool) int { runtime.Goexit(); return 0 }
	var rec recorder
	for name, c := range map[string]struct {
		p    flow.Plan[int, int]
		want []string
	}{
		"in use":     {flow.Bracket(plantest.Add(100), step.Map(func(int) int { return exit(true) }), rec.release("a")), []string{"a: release 105, error: InternalError", "a: released"}},
		"in release": {flow.Bracket(plantest.Add(100), plantest.Add(1), step.Map(func(flow.Ended[int, int]) int { return exit(true) })), nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec.Lines = nil
				loop := tool.Start(tool.Options{OnError: func(error) {}})
				_, err := flow.Start(t.Context(), loop, c.p, 5).Wait(t.Context())
				plantest.WantCode(t, err, fault.InternalError)
				rec.Want(t, c.want...)
				_ = loop.Shutdown(context.Background())
			})
		})
	}
}

// The context of an acquire ends when the step is left. If the acquire succeeds nevertheless, the result is released.
func TestK3ContextOfAnAcquire(t *testing.T) {
	for name, c := range map[string]struct {
		gives bool
		want  []string
	}{
		"it gives up":      {false, []string{"told: First"}},
		"it has succeeded": {true, []string{"told: First", "a: release 105, cancelled: First", "a: released"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var rec recorder
				loop := tool.Start(tool.Options{})
				acquire := step.Await(func(ctx context.Context, in int) (int, error) {
					<-ctx.Done()
					rec.Recordf("told: %s", fault.CodeOf(context.Cause(ctx)))
					if c.gives {
						return in + 100, nil
					}
					return 0, context.Cause(ctx)
				})
				run := flow.Start(t.Context(), loop, flow.Bracket(acquire, plantest.Add(1), rec.release("a")), 5)
				synctest.Wait()
				run.Cancel(errFirst)
				_, err := run.Wait(t.Context())
				plantest.WantCode(t, err, fault.Cancelled)
				rec.Want(t, c.want...)
				_ = loop.Shutdown(context.Background())
			})
		})
	}
}

// The release is a step.Await, whose context doesn't end with that of flow.Run.
func TestK3RunWhoseContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rec recorder
		ctx, cancel := context.WithTimeout(t.Context(), oneSecond)
		defer cancel()
		release := step.Await(func(ctx context.Context, e flow.Ended[int, int]) (none, error) {
			time.Sleep(oneSecond / 2)
			rec.Recordf("release %d: %v, %s", e.Resource, ctx.Err(), fault.CodeOf(e.Err))
			return none{}, nil
		})
		_, err := flow.Run(ctx, flow.Bracket(plantest.Add(1), step.Delay[int](time.Hour), release), 1)
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t, "release 2: <nil>, Timeout")
	})
}

// O4, E4: an error whose place another one takes stands before those that it has met, whenever that happens.
func TestE4OvertakenErrorStandsFirst(t *testing.T) {
	fails := func(name string) step.Step[flow.Ended[int, int], int] {
		return plantest.Fail[flow.Ended[int, int], int](errors.New(name))
	}
	slow := func(name string) step.Step[flow.Ended[int, int], int] {
		return flow.Then(step.Delay[flow.Ended[int, int]](oneSecond), fails(name))
	}
	own := flow.Bracket(plantest.Add(1), flow.Bracket(plantest.Add(1), plantest.Fail[int, int](errors.New("own")), fails("inner")), slow("outer"))
	var secondary []string
	_, err := plantest.Run(t, sum(flow.Par(own, failAfter(oneSecond/2, errFirst))), 0)
	for _, e := range plantest.WantCode(t, err, errFirst.Code).Secondary {
		secondary = append(secondary, e.Error())
	}
	if got := strings.Join(secondary, ", "); got != "own, inner, outer" {
		t.Errorf("secondary errors: %s", got)
	}
}

// O4, E4: it is the same with panics and errors of releases that are reported because a race is won.
func TestE4OvertakenPanicIsReportedFirst(t *testing.T) {
	loop := tooltest.New()
	fails := func(name string) step.Step[flow.Ended[int, int], int] {
		return plantest.Fail[flow.Ended[int, int], int](errors.New(name))
	}
	own := flow.Bracket(plantest.Add(1), step.Map(func(int) int { panic("own") }), fails("inner"))
	held := flow.Bracket(plantest.Add(1), own, flow.Then(step.Delay[flow.Ended[int, int]](oneSecond), fails("outer")))
	run := flow.Start(t.Context(), loop, flow.First(held, step.Delay[int](oneSecond/2)), 0)
	loop.Run()
	if _, err := run.Result(); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, err := range loop.Errors() {
		told = append(told, err.Error())
	}
	if len(told) != 3 || !strings.Contains(told[0], "own") || !strings.Contains(told[1], "inner") || !strings.Contains(told[2], "outer") {
		t.Errorf("reported are %q", told)
	}
}
