package syncx_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// G3: a flow that gets an entry when a window begins, and is cancelled at the same time, doesn't begin its section. Its
// entry goes to the next flow, in the same window.
func TestG3EntryThatIsNotUsed(t *testing.T) {
	guards := map[string]func() syncx.Guard{
		"throttle": func() syncx.Guard { return syncx.NewThrottle(2, 10*ms, -1) },
		"limiter": func() syncx.Guard {
			return syncx.NewLimiter(syncx.Limits{Concurrent: 8, Rate: 2, Period: 10 * ms, Burst: -1})
		},
	}
	for name, fresh := range guards {
		for what, waiter := range map[string]func(g syncx.Guard, s str) (str, fault.Code){
			"a cancel": func(g syncx.Guard, s str) (str, fault.Code) { return syncx.Sync(g, s), fault.Cancelled },
			"a limit": func(g syncx.Guard, s str) (str, fault.Code) {
				return flow.Timeout(10*ms, syncx.Sync(g, s)), fault.Timeout
			},
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				r := newRig(t)
				g := fresh()
				at := func(name string) str {
					return step.Map(func(in string) string {
						r.note("%s@%d", name, r.Now()/ms)
						return in
					})
				}
				r.start("x", syncx.Sync(g, at("first")))
				r.start("x", syncx.Sync(g, at("first")))
				r.start("x", syncx.Sync(g, at("ahead"))) // its timer ends the window
				r.Advance(0)
				plan, code := waiter(g, at("second"))
				second := r.start("second", plan)
				r.start("third", syncx.Sync(g, at("third")))
				r.start("fourth", syncx.Sync(g, at("fourth")))
				r.Advance(0)
				r.RunUntil(func() bool { return g.(stats).Queued() == 2 }) // until the window has ended
				if what == "a cancel" {
					second.Cancel(nil)
				}
				r.Run()
				r.want("first@0 first@0 ahead@10 third@10 fourth@20")
				if _, err := second.Result(); fault.CodeOf(err) != code {
					t.Errorf("the second ended with %v", err)
				}
			})
		}
	}
}

// G3: an unused entry is given back only in its own window.
func TestG3EntryThatIsNotUsedIsOfItsWindow(t *testing.T) {
	r := newRig(t)
	th := syncx.NewThrottle(1, 10*ms, -1)
	pass := step.Map(func(in string) string { return in })
	r.start("first", syncx.Sync(th, pass))
	r.Advance(0)
	second := r.start("second", syncx.Sync(th, pass))
	r.Advance(0)
	r.RunUntil(func() bool { return th.Queued() == 0 })
	r.Lag(10 * ms) // the window of the entry is over before the cancel is seen
	r.start("third", syncx.Sync(th, pass))
	second.Cancel(nil)
	r.start("fourth", syncx.Sync(th, step.Map(func(in string) string {
		r.note("fourth@%d", r.Now()/ms)
		return in
	})))
	r.Run()
	r.want("fourth@30")
}
