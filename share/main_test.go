package share_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const ms = time.Millisecond

var errDown = fault.New(fault.ConnectError, "server is down")

type harness struct {
	*plantest.Harness
	t *testing.T
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	return &harness{plantest.NewHarness(t), t}
}

// start starts a run and records its result as name=value@time or name!code@time, in milliseconds.
func (h *harness) start(name string, s step.Step[string, string], in string) *flow.Running[string] {
	run := flow.Start(h.t.Context(), h.Loop, s, in)
	run.Then(func(v string, err error) {
		if err != nil {
			h.Recordf("%s!%s@%d", name, fault.CodeOf(err), h.Now()/ms)
		} else {
			h.Recordf("%s=%s@%d", name, v, h.Now()/ms)
		}
	})
	return run
}

// slowLoad returns a load that takes ten milliseconds, and fails for the key "bad". It records its
// beginning as load:key, and its failure or cancel as ~key.
func (h *harness) slowLoad() step.Step[string, string] {
	return step.New(func(as step.Scope, key string) step.Next[string] {
		h.Recordf("load:%s", key)
		as.SetCancel(func() { h.Recordf("~%s", key) })
		return step.Wait(as, func(done step.Done[string]) {
			_, _ = h.Deferred(10*ms, func() {
				if key == "bad" {
					done.Fail(errDown)
				} else {
					done.Succeed(strings.ToUpper(key))
				}
			})
		})
	})
}

// askOnManyLoops runs get 1600 times, on private loops and on a group of loops, and cancels some of the runs on the
// group. ask returns the key of the ith run of a goroutine, and the value that the run must get.
func askOnManyLoops[Key any, Value comparable](t *testing.T, get step.Step[Key, Value], ask func(i int) (Key, Value)) {
	t.Helper()
	g := tool.NewGroup(4, tool.Options{})
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				key, want := ask(i)
				var got Value
				var err error
				if n%2 == 0 {
					run := flow.Start(ctx, g.Next(), get, key)
					if i%5 == 0 {
						cancel()
					}
					got, err = run.Wait(t.Context())
				} else {
					got, err = flow.Run(ctx, get, key)
				}
				if err != nil && !errors.Is(err, fault.Cancelled) || err == nil && got != want {
					t.Error(got, err)
				}
				cancel()
			}
		})
	}
	all.Wait()
	if err := g.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
