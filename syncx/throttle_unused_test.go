package syncx_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// G3: a flow that is cancelled, or whose limit passes, when it gets an entry doesn't begin its section: the entry goes to
// the next flow, in the same window.
func TestG3EntryThatIsNotUsed(t *testing.T) {
	guards := map[string]func() syncx.Guard{
		"throttle": func() syncx.Guard { return syncx.NewThrottle(2, 10*ms, -1) },
		"limiter": func() syncx.Guard {
			return syncx.NewLimiter(syncx.Limits{Concurrent: 8, Rate: 2, Period: 10 * ms, Burst: -1})
		},
	}
	for name, fresh := range guards {
		for what, waiter := range map[string]func(g syncx.Guard, s stringStep) (stringStep, fault.Code){
			"a cancel": func(g syncx.Guard, s stringStep) (stringStep, fault.Code) { return syncx.Sync(g, s), fault.Cancelled },
			"a limit": func(g syncx.Guard, s stringStep) (stringStep, fault.Code) {
				return flow.Timeout(10*ms, syncx.Sync(g, s)), fault.Timeout
			},
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				h := newHarness(t)
				g := fresh()
				at := func(name string) stringStep {
					return step.Map(func(in string) string {
						h.Recordf("%s@%d", name, h.Now()/ms)
						return in
					})
				}
				h.start("x", syncx.Sync(g, at("first")))
				h.start("x", syncx.Sync(g, at("first")))
				h.start("x", syncx.Sync(g, at("ahead"))) // its timer ends the window
				h.Advance(0)
				plan, code := waiter(g, at("second"))
				second := h.start("second", plan)
				h.start("third", syncx.Sync(g, at("third")))
				h.start("fourth", syncx.Sync(g, at("fourth")))
				h.Advance(0)
				h.RunUntil(func() bool { return g.(stats).Queued() == 2 }) // until the window has ended
				if what == "a cancel" {
					second.Cancel(nil)
				}
				h.Run()
				h.WantEvents("first@0 first@0 ahead@10 third@10 fourth@20")
				if _, err := second.Result(); fault.CodeOf(err) != code {
					t.Errorf("the second ended with %v", err)
				}
			})
		}
	}
}

func TestG3EntryThatIsNotUsedIsOfItsWindow(t *testing.T) {
	h := newHarness(t)
	th := syncx.NewThrottle(1, 10*ms, -1)
	pass := step.Map(func(in string) string { return in })
	h.start("first", syncx.Sync(th, pass))
	h.Advance(0)
	second := h.start("second", syncx.Sync(th, pass))
	h.Advance(0)
	h.RunUntil(func() bool { return th.Queued() == 0 })
	h.Lag(10 * ms) // the window of the entry is over before the cancel is seen
	h.start("third", syncx.Sync(th, pass))
	second.Cancel(nil)
	h.start("fourth", syncx.Sync(th, step.Map(func(in string) string {
		h.Recordf("fourth@%d", h.Now()/ms)
		return in
	})))
	h.Run()
	h.WantEvents("fourth@30")
}
