package flow_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// slowUnwind returns a step that waits for ever. When it is left, it takes d to end, and then counts in left.
func slowUnwind(d time.Duration, left *atomic.Int32) step.Step[int, int] {
	return flow.OnCancel(step.Await(func(ctx context.Context, in int) (int, error) {
		<-ctx.Done()
		time.Sleep(d)
		return in, ctx.Err()
	}), func(step.Scope) { left.Add(1) })
}

// P10: the result of the winner is passed on at once, and the run ends when the losers have been left.
func TestP10LingerDoesNotHoldUp(t *testing.T) {
	for name, start := range starts {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var left atomic.Int32
				var won time.Duration
				p := flow.Then(flow.First(
					flow.Linger(time.Minute, slowUnwind(300*time.Millisecond, &left)),
					flow.Linger(time.Minute, step.Delay[int](10*time.Millisecond)),
					flow.Linger(time.Minute, flow.Shield(flow.Then(step.Delay[int](500*time.Millisecond), plantest.Add(1)))),
				), step.Func(func(_ step.Scope, in int) (int, error) {
					won = time.Since(begun)
					return in + 1, nil
				}))
				v, told, err := start(t, p)
				if v != 2 || err != nil || won != 10*time.Millisecond || left.Load() != 1 || time.Since(begun) != 500*time.Millisecond {
					t.Errorf("%d, %v; won after %v, %d left, ended after %v", v, err, won, left.Load(), time.Since(begun))
				}
				if len(told) != 0 {
					t.Errorf("reported: %v", told)
				}
			})
		})
	}
}

// starts holds the ways to run a plan in a bubble.
var starts = map[string]func(t *testing.T, p step.Step[int, int]) (v int, told []error, err error){
	"Run": func(t *testing.T, p step.Step[int, int]) (v int, told []error, err error) {
		heard := new(errorLog)
		v, err = flow.Run(flow.WithOptions(t.Context(), tool.Options{OnError: heard.add}), p, 1)
		return v, heard.all(), err
	},
	"Start": func(t *testing.T, p step.Step[int, int]) (v int, told []error, err error) {
		heard := new(errorLog)
		loop := tool.Start(tool.Options{OnError: heard.add})
		run := flow.Start(t.Context(), loop, p, 1)
		v, err = run.Wait(context.Background())
		at := time.Now()
		if loop.Host().Live() == 0 {
			if err := loop.Shutdown(context.Background()); err != nil || time.Since(at) != 0 {
				t.Errorf("Shutdown: %v after %v", err, time.Since(at))
			}
		} else {
			go func() { _ = loop.Shutdown(context.Background()) }()
		}
		return v, heard.all(), err
	},
}

func TestP10LingerChangesNothing(t *testing.T) {
	all := maps.Clone(wrongs)
	maps.Copy(all, map[string]step.Step[int, int]{
		"value":  flow.Then(plantest.Add(1), plantest.Add(2)),
		"waits":  flow.Then(step.Delay[int](time.Millisecond), plantest.Add(2)),
		"Goexit": step.Await(func(context.Context, int) (int, error) { runtime.Goexit(); return 0, nil }),
	})
	for name, s := range all {
		around := func(s step.Step[int, int]) (out int, met, result *fault.Error, info any) {
			p := flow.Then(plantest.Add(0), flow.Catch(flow.Of(s), func(_ step.Scope, err error) step.Next[int] {
				met = &fault.Error{Code: fault.CodeOf(err), Info: fault.InfoOf(err)}
				return step.Unwind[int]()
			}))
			out, err := flow.Run(t.Context(), p, 1)
			result, _ = errors.AsType[*fault.Error](err)
			_, _ = flow.Run(t.Context(), flow.Catch(p, func(as step.Scope, _ error) step.Next[int] {
				info, _ = as.State().Get("error_info")
				return step.Succeed(0)
			}), 1)
			return out, met, result, info
		}
		out, met, got, info := around(flow.Linger(time.Second, s))
		wantOut, wantMet, want, wantInfo := around(flow.Call(s))
		if out != wantOut || (got == nil) != (want == nil) {
			t.Errorf("%s: %d, %v, want %d, %v", name, out, got, wantOut, want)
		}
		if got == nil || want == nil {
			continue
		}
		if met.Code != wantMet.Code || met.Info != wantMet.Info || info != wantInfo {
			t.Errorf("%s: the handler met %v, want %v; info %v, want %v", name, met, wantMet, info, wantInfo)
		}
		wantAlike(t, name, got, want)
	}
}

// P10: steps inside see the same context, state, attempt and path as without Linger, and an observer sees the same run.
func TestP10LingerHasItsSurroundings(t *testing.T) {
	type key struct{}
	see := func(wrap func(step.Step[int, int]) step.Step[int, int]) (lines []string) {
		say := func(f string, args ...any) { lines = append(lines, fmt.Sprintf(f, args...)) }
		loop := tooltest.New()
		looks := step.New(func(as step.Scope, in int) step.Next[int] {
			at, limited := as.Context().Deadline()
			say("%v %t %v", at.Sub(loop.Host().Time(0)), limited, as.Context().Value(key{}))
			n, _ := as.State().Get("n")
			stack, _ := as.State().Get("async_stack")
			say("state %v, attempt %d, path %s", n, as.Attempt(), as.Path())
			for _, f := range stack.([]fault.Frame) {
				say("in %s", f.Path)
			}
			as.State().Set("n", 2)
			if as.Attempt() == 1 {
				return step.Fail[int](errFirst)
			}
			return step.Succeed(in + 1)
		})
		before := step.Func(func(as step.Scope, in int) (int, error) { as.State().Set("n", 1); return in, nil })
		after := step.Func(func(as step.Scope, in int) (int, error) {
			n, _ := as.State().Get("n")
			say("state %v", n)
			return in, nil
		})
		p := flow.Then(before, flow.Then(flow.Timeout(time.Hour, retry.Of(retry.Policy{Tries: 2}, flow.Then(plantest.Add(1), wrap(flow.Then(plantest.Add(1), looks))))), after))
		runs := 0
		ctx := observe.With(context.WithValue(t.Context(), key{}, "value"), observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
			runs++
			return ctx, func(e observe.Event) {
				if e.Kind == observe.StepStart || e.Kind == observe.RunEnd || e.Kind == observe.Cancelled {
					say("%v %s", e.Kind, e.Path())
				}
			}
		}))
		run := flow.Start(ctx, loop, p, 1)
		loop.Run()
		v, err := run.Result()
		say("%d, %v, %d runs", v, err, runs)
		return lines
	}
	got := see(func(s step.Step[int, int]) step.Step[int, int] { return flow.Linger(time.Second, s) })
	want := see(func(s step.Step[int, int]) step.Step[int, int] { return flow.Call(s) })
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// P10: however the step is left, it ends at once, and the run ends when the part has been left.
func TestP10LingerIsLeftAtOnce(t *testing.T) {
	for what, c := range map[string]struct {
		plan func(s step.Step[int, int]) step.Step[int, int]
		code fault.Code
		at   time.Duration // when the step is left
	}{
		"limit": {func(s step.Step[int, int]) step.Step[int, int] { return flow.Timeout(time.Second, s) }, fault.Timeout, time.Second},
		"error": {func(s step.Step[int, int]) step.Step[int, int] {
			return sum[int](flow.Par(s, failAfter(time.Second, errFirst)))
		}, errFirst.Code, time.Second},
		"break": {func(s step.Step[int, int]) step.Step[int, int] {
			return loopx.Loop(sum[int](flow.Par(s, flow.Then(step.Delay[int](time.Second), breaksLoop()))))
		}, "", time.Second},
		"winner": {func(s step.Step[int, int]) step.Step[int, int] { return flow.First(s, later(time.Second, 1)) }, "", time.Second},
		"cancel": {func(s step.Step[int, int]) step.Step[int, int] { return s }, fault.Cancelled, 3 * time.Second},
	} {
		for name, unwinds := range map[string]struct {
			s     step.Step[int, int]
			takes time.Duration
		}{
			"goroutine": {step.AwaitGrace(-1, func(ctx context.Context, in int) (int, error) {
				<-ctx.Done()
				time.Sleep(10 * time.Second)
				return in, nil
			}), 10 * time.Second},
			"release": {flow.Bracket(plantest.Add(1), step.Delay[int](time.Hour), flow.Then(step.Map(func(flow.Ended[int, int]) int { return 0 }), step.Delay[int](500*time.Millisecond))), 500 * time.Millisecond},
			"nested":  {flow.Linger(time.Minute, flow.Linger(time.Minute, flow.Grace(-1, flow.Shield(step.Delay[int](20*time.Second))))), 20 * time.Second},
			"nothing": {step.Delay[int](time.Hour), 0},
		} {
			t.Run(what+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					begun := time.Now()
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					time.AfterFunc(3*time.Second, cancel)
					var left time.Duration
					p := flow.OnCancel(flow.Catch(flow.Of(c.plan(flow.OnCancel(flow.Linger(time.Minute, unwinds.s), func(step.Scope) { left = time.Since(begun) }))),
						func(step.Scope, error) step.Next[int] { return step.Unwind[int]() }), func(step.Scope) {})
					_, err := flow.Run(ctx, p, 1)
					ends := max(c.at, c.at+unwinds.takes)
					if name == "nested" {
						ends = max(c.at, 20*time.Second)
					}
					if fault.CodeOf(err) != c.code && err != nil || err == nil && c.code != "" || left != c.at || time.Since(begun) != ends {
						t.Errorf("%v, left after %v, ended after %v, want %v", err, left, time.Since(begun), ends)
					}
				})
			})
		}
	}
}

// P10: when the grace is over the run ends without the part, which is reported.
func TestP10LingerIsLeftBehind(t *testing.T) {
	for name, start := range starts {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var states []any
				var left atomic.Int32
				free := make(chan struct{})
				stuck := flow.OnCancel(flow.Grace(-1, step.Await(func(context.Context, int) (int, error) { <-free; return 0, nil })), func(as step.Scope) {
					n, _ := as.State().Get("n")
					states = append(states, n)
					as.State().Set("n", 2)
					left.Add(1)
				})
				inner := flow.Linger(time.Hour, stuck)
				p := flow.Then(step.Func(func(as step.Scope, in int) (int, error) { as.State().Set("n", in); return in, nil }),
					flow.First(flow.Named("slow", flow.Linger(time.Second, inner)), flow.Named("stuck", flow.Linger(2*time.Second, stuck)), step.Delay[int](time.Second)))
				v, told, err := start(t, p)
				if v != 1 || err != nil || time.Since(begun) != 3*time.Second || len(told) != 2 || left.Load() != 0 {
					t.Fatalf("%d, %v, after %v, reported %v", v, err, time.Since(begun), told)
				}
				for i, want := range []string{"step 1/first.0/0 slow was left, lingers longer than 1s", "step 1/first.1/0 stuck was left, lingers longer than 2s"} {
					if !strings.Contains(told[i].Error(), want) {
						t.Errorf("reported %v", told[i])
					}
				}
				for range 10 { // other runs may use the memory
					_, _ = flow.Run(t.Context(), flow.Then(step.Func(func(as step.Scope, in int) (int, error) {
						if n, ok := as.State().Get("n"); ok {
							t.Errorf("another run has %v", n)
						}
						as.State().Set("n", 3)
						return in, nil
					}), flow.Timeout(time.Second, flow.Linger(time.Second, step.Delay[int](time.Hour)))), 1)
				}
				close(free)
				synctest.Wait()
				if left.Load() != 2 || fmt.Sprint(states) != "[1 2]" && fmt.Sprint(states) != "[1 1]" {
					t.Errorf("%d were left, with %v", left.Load(), states)
				}
			})
		})
	}
}

func TestP10LingerIsRefused(t *testing.T) {
	for _, grace := range []time.Duration{0, -1} {
		_, err := flow.Run(t.Context(), flow.Then(plantest.Add(1), flow.Linger(grace, plantest.Add(1))), 1)
		if !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "the grace must be positive, got "+grace.String()) {
			t.Errorf("%v", err)
		}
	}
	if err := flow.Linger[int, int](time.Second, nil).Err(); err == nil || !strings.Contains(err.Error(), "Linger: the stage is nil") {
		t.Error(err)
	}
}

func TestP10LingerOnADeterministicLoop(t *testing.T) {
	loop := tooltest.New(tooltest.WithHost(tool.WithDeterministic()))
	run := flow.Start(t.Context(), loop, flow.First(flow.Linger(time.Minute, flow.Shield(step.Delay[int](time.Second))), flow.Linger(time.Second, later(time.Millisecond, 1))), 1)
	loop.Run()
	if v, err := run.Result(); v != 2 || err != nil || len(loop.Errors()) != 0 || loop.Now() != time.Second {
		t.Errorf("%d, %v after %v, reported %v", v, err, loop.Now(), loop.Errors())
	}
}

// P10: many races on several loops, half of them cancelled at some time. Each ends, and no goroutine outlives its run.
func TestP10LingerStress(t *testing.T) {
	g := newGroup(t, 2)
	var inside atomic.Int32
	leaf := flow.Linger(time.Minute, step.Await(func(ctx context.Context, in int) (int, error) {
		inside.Add(1)
		defer inside.Add(-1)
		if in%3 != 0 {
			<-ctx.Done()
			runtime.Gosched()
		}
		return in, ctx.Err()
	}))
	race := flow.Linger(time.Minute, flow.First(leaf, leaf, flow.Linger(time.Minute, step.Delay[int](time.Microsecond))))
	tree := flow.ParEach(4, race)
	for i := range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		if i%2 == 0 {
			time.AfterFunc(time.Duration(i)*time.Microsecond, cancel)
		}
		run := flow.Start(ctx, g.Next(), flow.Par(tree, tree), []int{1, 2, 3, 4, 5})
		<-run.Done()
		if _, err := run.Result(); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if n := inside.Load(); n != 0 {
			t.Fatalf("%d goroutines outlive their run", n)
		}
		cancel()
	}
}

// P10: a part that is left behind keeps the private loop of flow.Run. Other runs on that loop are cancelled, and the
// loop serves the part and these runs to their end, also if a hook ends the loop's goroutine.
func TestP10LingerIsLeftBehindWithOtherRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		var other, slow *flow.Running[int]
		var left atomic.Int32
		var hooks []string
		starts := step.Func(func(as step.Scope, in int) (int, error) {
			other = flow.Start(t.Context(), as.Loop(), flow.OnCancel(step.Delay[int](time.Hour), func(step.Scope) { hooks = append(hooks, "other") }), in)
			slow = flow.Start(t.Context(), as.Loop(), flow.Grace(-1, slowUnwind(time.Hour, &left)), in)
			return in, nil
		})
		stuck := flow.OnCancel(flow.Grace(-1, step.Await(func(context.Context, int) (int, error) { <-free; return 0, nil })), func(step.Scope) {
			hooks = append(hooks, "part")
			runtime.Goexit()
		})
		p := flow.First(flow.Linger(time.Second, flow.Then(starts, stuck)), step.Delay[int](time.Second))
		if v, err := flow.Run(t.Context(), p, 1); v != 1 || err != nil {
			t.Errorf("%d, %v", v, err)
		}
		synctest.Wait()
		if _, err := other.Result(); !errors.Is(err, fault.Cancelled) {
			t.Errorf("the other run has ended with %v", err)
		}
		close(free)
		synctest.Wait()
		if want := []string{"other", "part"}; !slices.Equal(hooks, want) {
			t.Errorf("left are %q, want %q", hooks, want)
		}
		time.Sleep(2 * time.Hour)
		if _, err := slow.Result(); !errors.Is(err, fault.Cancelled) || left.Load() != 1 {
			t.Errorf("the slow run has ended with %v", err)
		}
	})
}
