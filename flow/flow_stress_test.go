package flow_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// O6, C1, C2, C6: completions, a timeout and a cancel of a step come at about the same time, on different goroutines.
// All results agree on which of them counted.
func TestRaceForAStep(t *testing.T) {
	loop := tool.Start(tool.Options{OnError: func(err error) { t.Errorf("reported: %v", err) }})
	type attempt struct {
		limit           time.Duration
		done            step.Done[int]
		ready           chan struct{}
		hooks, cleanups atomic.Int32
	}
	p := flow.Then(flow.Catch(step.New(func(as step.Scope, a *attempt) step.Next[int] {
		as.SetTimeout(a.limit)
		as.SetCancel(func() { a.hooks.Add(1) })
		step.StackCleanup(as, func(*int) { a.cleanups.Add(1) })
		return step.Wait(as, func(done step.Done[int]) {
			a.done = done
			close(a.ready)
		})
	}), func(step.Scope, error) step.Next[int] { return step.Unwind[int]() }), plantest.Add(1))

	var values, timeouts, cancels atomic.Int32
	var all sync.WaitGroup
	for worker := range uint64(4) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(1, worker))
			for range reduced(3000) {
				a := &attempt{limit: time.Duration(r.IntN(60)+1) * time.Microsecond, ready: make(chan struct{})}
				run := flow.Start(t.Context(), loop, p, a)
				<-a.ready
				var race sync.WaitGroup
				var taken atomic.Int32
				var stopped atomic.Bool
				for range 2 {
					pause := r.IntN(40)
					race.Go(func() {
						busyLoop(pause)
						if a.done.Succeed(1) {
							taken.Add(1)
						}
					})
				}
				pause := r.IntN(80)
				race.Go(func() {
					busyLoop(pause)
					stopped.Store(run.Cancel(errSecond))
				})
				v, err := run.Wait(t.Context())
				race.Wait()
				hooks, cleanups := a.hooks.Load(), a.cleanups.Load()
				if cleanups != 1 || taken.Load() > 1 || a.done.Valid() || a.done.Succeed(2) {
					t.Errorf("%d cleanups, completed %d times", cleanups, taken.Load())
				}
				switch {
				case err == nil:
					values.Add(1)
					if v != 2 || hooks != 0 || taken.Load() != 1 || stopped.Load() {
						t.Errorf("value %d: %d hooks, completed %d times, cancelled %t", v, hooks, taken.Load(), stopped.Load())
					}
				case errors.Is(err, fault.Cancelled):
					cancels.Add(1)
					// the cancel may come between the success of this step and the next step
					if !stopped.Load() || !errors.Is(err, errSecond) || hooks > 1 || hooks == 0 && taken.Load() != 1 {
						t.Errorf("%v: %d hooks, cancelled %t", err, hooks, stopped.Load())
					}
				case errors.Is(err, fault.Timeout):
					timeouts.Add(1)
					if hooks != 1 || taken.Load() != 0 || stopped.Load() {
						t.Errorf("%v: %d hooks, completed %d times, cancelled %t", err, hooks, taken.Load(), stopped.Load())
					}
				default:
					t.Errorf("got %v", err)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d values, %d timeouts, %d cancels", values.Load(), timeouts.Load(), cancels.Load())
	if err := loop.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func busyLoop(n int) {
	for range n {
		runtime.Gosched()
	}
}

// C7, P3: goroutines of await steps end at about the same time as siblings fail, limits pass and runs are cancelled, in
// runs that use each other's memory.
func TestRaceForGoroutines(t *testing.T) {
	group := tool.NewGroup(2, tool.Options{OnError: func(err error) { t.Errorf("reported: %v", err) }})
	var inside atomic.Int32
	await := step.Await(func(ctx context.Context, in int) (int, error) {
		inside.Add(1)
		defer inside.Add(-1)
		busyLoop(in % 16)
		if in%7 == 3 {
			return 0, errFirst
		}
		if in%5 == 4 {
			<-ctx.Done()
			return 0, context.Cause(ctx)
		}
		return in, nil
	})
	p := flow.Timeout(20*time.Millisecond, sum(flow.ParEach(3, flow.Then(sum(flow.Par(await, flow.Timeout(10*time.Millisecond, await))), plantest.Add(1)))))
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(2, uint64(g)))
			for i := range reduced(400) {
				n := r.IntN(6)
				in := make([]int, n)
				want, clean := 0, true
				for k := range in {
					in[k] = g + i + k
					want += 2*in[k] + 1
					clean = clean && in[k]%7 != 3 && in[k]%5 != 4
				}
				run := flow.Start(t.Context(), group.Next(), p, in)
				stopped := i%3 == 0
				if stopped {
					busyLoop(r.IntN(50))
					stopped = run.Cancel(errSecond)
				}
				v, err := run.Wait(t.Context())
				switch {
				case stopped:
					if !errors.Is(err, fault.Cancelled) || !errors.Is(err, errSecond) {
						t.Errorf("cancelled: got %d, %v", v, err)
					}
				case clean && err == nil && v == want:
				case clean && errors.Is(err, fault.Timeout): // on a slow machine
				case !clean && (errors.Is(err, errFirst) || errors.Is(err, fault.Timeout)):
				default:
					t.Errorf("%v: got %d, %v, want %d", in, v, err, want)
				}
			}
		})
	}
	all.Wait()
	if err := group.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if n := inside.Load(); n != 0 {
		t.Errorf("%d goroutines are left", n)
	}
}

// O5: a goroutine completes a step at about the moment when the limit of a sibling begins a turn of the idle run. The
// completion isn't lost, whichever comes first.
func TestRaceOfCompletionAndLimit(t *testing.T) {
	loop := tool.Start(tool.Options{OnError: func(err error) { t.Errorf("reported: %v", err) }})
	const limit = 100 * time.Microsecond
	var completers sync.WaitGroup
	never := step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) })
	p := sum(flow.Par(
		flow.Catch(flow.Timeout(limit, never), func(step.Scope, error) step.Next[int] { return step.Succeed(1) }),
		step.New(func(as step.Scope, skew int) step.Next[int] {
			return step.Wait(as, func(done step.Done[int]) {
				at := time.Now().Add(limit + time.Duration(skew)*time.Microsecond)
				completers.Go(func() {
					for time.Now().Before(at) {
					}
					if !done.Succeed(2) {
						t.Error("the completion was refused")
					}
				})
			})
		}),
	))
	for i := range 20_000 {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		v, err := flow.Start(t.Context(), loop, p, i%200-20).Wait(ctx)
		cancel()
		if v != 3 || err != nil {
			t.Fatalf("run %d: got %d, %v", i, v, err)
		}
	}
	completers.Wait()
	if err := loop.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
