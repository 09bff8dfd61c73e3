package flow_test

import (
	"errors"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// reduced returns n, or a twentieth of it if the test is short or runs with the race detector.
func reduced(n int) int {
	if testing.Short() || racetest.Enabled {
		return n / 20
	}
	return n
}

// onSmallStack runs test with stacks limited to 64 KiB: a function that recurses with the size of a plan would end
// the process. It also fails if the stacks have grown by more than 1 MiB.
func onSmallStack(t *testing.T, test func()) {
	t.Helper()
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 10))
	before := stackBytes()
	test()
	if grown := int64(stackBytes()) - int64(before); grown > 1<<20 {
		t.Errorf("stacks have grown by %d bytes", grown)
	}
}

func stackBytes() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func heapBytes() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A plan of some 200,000 steps runs, whether it was composed by Then or by Chain.
func TestLongPlans(t *testing.T) {
	n := reduced(200_000)
	inc := plantest.Add(1)
	var verdict error // of the last step
	last := step.Func(func(_ step.Scope, in int) (int, error) { return in, verdict })
	all := make([]step.Step[int, int], n, n+1)
	for i := range all {
		all[i] = inc
	}
	for _, c := range []struct {
		name  string
		build func() flow.Plan[int, int]
	}{
		{"Then after", func() flow.Plan[int, int] {
			p := flow.Of(inc)
			for range n - 1 {
				p = flow.Then(p, inc)
			}
			return flow.Then(p, last)
		}},
		{"Then before", func() flow.Plan[int, int] {
			p := flow.Of(last)
			for range n {
				p = flow.Then(inc, p)
			}
			return p
		}},
		{"Chain", func() flow.Plan[int, int] { return flow.Chain(append(all, last)...) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			onSmallStack(t, func() {
				p := c.build()
				verdict = nil
				if v, err := flow.Run(t.Context(), p, 0); v != n || err != nil {
					t.Errorf("got %d, %v", v, err)
				}
				verdict = errFirst
				if _, err := flow.Run(t.Context(), p, 0); !errors.Is(err, errFirst) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

// Steps that are nested up to 40,000 levels deep end with a value, with an error, by a cancel and by a limit.
func TestDeepPlans(t *testing.T) {
	type plan = flow.Plan[int, int]
	type stage = step.Step[int, int]
	hooks := 0
	count := func(step.Scope) { hooks++ }
	for _, c := range []struct {
		name  string
		wrap  func(stage) plan
		hooks bool
	}{
		{"Catch", func(s stage) plan {
			return flow.Catch(s, func(step.Scope, error) step.Next[int] { return step.Unwind[int]() })
		}, false},
		{"Timeout", func(s stage) plan { return flow.Timeout(time.Hour, s) }, false},
		{"OnCancel", func(s stage) plan { return flow.OnCancel(s, count) }, true},
		{"Call", flow.Call[int, int], false},
		{"Par", func(s stage) plan { return sum(flow.Par(s)) }, false},
		{"Par with a hook", func(s stage) plan { return flow.OnCancel(sum(flow.Par(s)), count) }, true},
		{"ParEach", func(s stage) plan {
			return flow.Then(step.Map(func(in int) []int { return []int{in} }), sum(flow.ParEach(2, s)))
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := reduced(40_000)
			var bottom stage
			p := flow.Of(step.New(func(as step.Scope, in int) step.Next[int] { return step.Into(as, bottom, in) }))
			for range n {
				p = c.wrap(p)
			}
			limited := step.New(func(as step.Scope, in int) step.Next[int] {
				as.SetTimeout(time.Second)
				return step.Into(as, p, in)
			})
			leaves := func(times int) {
				t.Helper()
				if c.hooks && hooks != times*n {
					t.Errorf("%d of %d hooks were called", hooks, times*n)
				}
				hooks = 0
			}
			onSmallStack(t, func() {
				bottom = plantest.Add(1)
				plantest.WantResult(t, p, 1, 2)
				leaves(0)
				bottom = step.Func(fail)
				_, err := plantest.Run(t, p, 1)
				plantest.WantCode(t, err, errFirst.Code)
				leaves(1)
				bottom = step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) })
				loop, run := plantest.Start(t, p, 1)
				loop.Advance(time.Second)
				run.Cancel(nil)
				loop.Advance(0)
				_, err = plantest.Result(t, run)
				plantest.WantCode(t, err, fault.Cancelled)
				leaves(1)
				_, err = plantest.Run(t, limited, 1)
				plantest.WantCode(t, err, fault.Timeout)
				leaves(1)
			})
		})
	}
}

func TestDeepRecursion(t *testing.T) {
	n := reduced(40_000)
	bottom := plantest.Add(0)
	hooks, cleanups := 0, 0
	var down step.Step[int, int]
	down = step.New(func(as step.Scope, in int) step.Next[int] {
		if in == n {
			return step.Into(as, bottom, in)
		}
		as.SetCancel(func() { hooks++ })
		step.StackCleanup(as, func(*int) { cleanups++ })
		return step.Into(as, down, in+1)
	})
	onSmallStack(t, func() {
		if v, err := flow.Run(t.Context(), down, 0); v != n || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
		if hooks != 0 || cleanups != n {
			t.Errorf("value: %d hooks, %d cleanups", hooks, cleanups)
		}
		hooks, cleanups = 0, 0
		bottom = step.Func(fail)
		_, err := flow.Run(t.Context(), down, 0)
		plantest.WantCode(t, err, errFirst.Code)
		if hooks != n || cleanups != n {
			t.Errorf("error: %d hooks, %d cleanups", hooks, cleanups)
		}
		hooks, cleanups = 0, 0
		bottom = step.Delay[int](time.Minute)
		loop, run := plantest.Start(t, down, 0)
		loop.Advance(time.Second)
		run.Cancel(nil)
		loop.Advance(0)
		_, err = plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled)
		if hooks != n || cleanups != n {
			t.Errorf("cancel: %d hooks, %d cleanups", hooks, cleanups)
		}
	})
}

func TestManyRuns(t *testing.T) {
	n := reduced(40_000)
	var waiting []step.Done[int]
	p := flow.Then(flow.Then(plantest.Add(1), step.New(func(as step.Scope, _ int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) { waiting = append(waiting, done) })
	})), plantest.Add(1))
	for _, c := range []struct {
		name string
		s    step.Step[int, int]
	}{
		{"a wait with a timeout", flow.Timeout(time.Hour, p)},
		{"a wait in a catch in a branch", sum(flow.Par(flow.Catch(p, func(step.Scope, error) step.Next[int] { return step.Unwind[int]() }), plantest.Add(1)))},
	} {
		t.Run(c.name, func(t *testing.T) {
			onSmallStack(t, func() {
				loop := tooltest.New()
				runs := make([]*flow.Running[int], n)
				waiting = make([]step.Done[int], 0, n)
				before := heapBytes()
				for i := range runs {
					runs[i] = flow.Start(t.Context(), loop, c.s, i)
				}
				loop.RunUntil(func() bool { return len(waiting) == n })
				each := (heapBytes() - before) / int64(n)
				t.Logf("%d runs, %d bytes each", n, each)
				if each > 4096 {
					t.Errorf("%d bytes for each run", each)
				}
				for i, done := range waiting {
					if i%2 == 0 {
						done.Succeed(i)
					} else {
						runs[i].Cancel(nil)
					}
				}
				loop.RunUntil(func() bool { return loop.Host().Live() == 0 })
				for i, r := range runs {
					if _, err := plantest.Result(t, r); (err == nil) != (i%2 == 0) {
						t.Fatalf("%d: %v", i, err)
					}
				}
			})
		})
	}
}
