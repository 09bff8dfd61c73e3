package syncx_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

type manualLimit interface {
	syncx.Guard
	Capacity() int
	SetCapacity(n int) error
	Queued() int
}

// SetCapacity doesn't change how many may wait.
func TestG13SetCapacity(t *testing.T) {
	for kind, g := range map[string]manualLimit{
		"mutex":    syncx.NewMutex(1, 1),
		"limiter":  syncx.NewLimiter(syncx.Limits{Concurrent: 1, MaxQueue: 1, Rate: 100, Burst: 100}),
		"adaptive": syncx.NewAdaptive(syncx.AdaptivePolicy{Start: 1, MaxQueue: 1}),
	} {
		t.Run(kind, func(t *testing.T) {
			h := newHarness(t)
			inside := syncx.Sync(g, h.recordedDelay(10*ms))
			h.start("a", inside)
			h.start("b", inside)
			h.Advance(0)
			h.WantEvents("+a")
			if err := g.SetCapacity(2); err != nil || g.Capacity() != 2 {
				t.Error(err, g.Capacity())
			}
			h.start("c", inside)
			d := h.start("d", inside)
			h.Advance(0)
			h.WantEvents("+b")
			if _, err := d.Result(); fault.CodeOf(err) != fault.DefenseRejected || g.Queued() != 1 {
				t.Errorf("the queue has room for one: %d wait, and the last one got %v", g.Queued(), err)
			}
			for _, n := range []int{0, -1} {
				if err := g.SetCapacity(n); fault.CodeOf(err) != fault.InvalidRequest || g.Capacity() != 2 {
					t.Errorf("%d: %v, %d", n, err, g.Capacity())
				}
			}
			h.Advance(time.Minute)
			if g.Capacity() != 2 {
				t.Error("it has become", g.Capacity())
			}
		})
	}
	for kind, zero := range map[string]manualLimit{"mutex": &syncx.Mutex{}, "limiter": &syncx.Limiter{}, "adaptive": &syncx.Adaptive{}} {
		if err := zero.SetCapacity(1); err == nil {
			t.Errorf("the zero %s takes a limit", kind)
		}
	}
	var none *syncx.Adaptive
	if err := none.SetCapacity(1); fault.CodeOf(err) != fault.InvalidRequest || none.Policy().Max != 0 {
		t.Errorf("no adaptive limit takes a limit: %v", err)
	}
}

func TestG13SetCapacityOfAdaptive(t *testing.T) {
	h := newHarness(t)
	a := syncx.NewAdaptive(syncx.AdaptivePolicy{Start: 4, MinSections: 1, Window: time.Second})
	if err := a.SetCapacity(3); err != nil {
		t.Fatal(err)
	}
	late := step.Func(func(step.Scope, int) (int, error) { return 0, fault.Timeout })
	for range 5 {
		flow.Start(t.Context(), h.Loop, syncx.Sync(a, late), 0)
		h.Advance(time.Second)
	}
	if a.Capacity() != 3 {
		t.Error("the limit has become", a.Capacity())
	}
	p := a.Policy()
	p.Min = 1
	if err := a.SetPolicy(p); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		flow.Start(t.Context(), h.Loop, syncx.Sync(a, late), 0)
		h.Advance(time.Second)
	}
	if a.Capacity() == 3 {
		t.Error("it doesn't learn again")
	}
}
