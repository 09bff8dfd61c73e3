package debug_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

type guardShown struct {
	Name, Kind, Problem string
	Inside, Queued      int
	Holders, Queue      []struct {
		Plan string
		stand
	}
}

func (h *harness) guards() (all []guardShown) {
	h.Helper()
	if err := json.Unmarshal(h.data("guards").Guards, &all); err != nil { //nolint:musttag // the names are the same without their case
		h.Fatal(err)
	}
	return all
}

type silent struct{ syncx.Guard }

func TestGuards(t *testing.T) {
	for _, c := range []struct {
		reason, kind string
		guard        syncx.Guard
	}{
		{"a mutex", "*syncx.Mutex", syncx.NewMutex(1, -1)},
		{"a throttle", "*syncx.Throttle", syncx.NewThrottle(1, time.Hour, -1)},
		{"a limiter", "*syncx.Limiter", syncx.NewLimiter(syncx.Limits{MaxQueue: -1, Rate: 10})},
		{"a limited wait", "*syncx.Mutex", syncx.MaxWait(24*time.Hour, syncx.NewMutex(1, -1))},
		{"a guard of somebody's own", "*debug_test.silent", &silent{syncx.NewMutex(1, -1)}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			h := newHarness(t, debug.Options{})
			h.Guard("door", c.guard)
			h.Guard("unused", syncx.NewMutex(1, 0))
			start(h, flow.Named("first", syncx.Sync(c.guard, plantest.Delay("", time.Hour))))
			h.loop.Advance(time.Second)
			start(h, flow.Named("second", flow.Then(plantest.Named("", nil), flow.Named("section", flow.Catch(
				syncx.Sync(c.guard, plantest.Delay("", time.Hour)), func(step.Scope, error) step.Next[step.Unit] { return step.Unwind[step.Unit]() },
			)))))
			h.loop.Advance(time.Second)
			got := h.guards()
			if len(got) != 2 || got[0].Name != "door" || got[0].Kind != c.kind || got[1].Inside+got[1].Queued+len(got[1].Holders) != 0 {
				t.Fatalf("got %+v", got)
			}
			door := got[0]
			if door.Inside != 1 || door.Queued != 1 || len(door.Holders) != 1 || len(door.Queue) != 1 {
				t.Fatalf("got %+v", door)
			}
			if h := door.Holders[0]; h.Plan != "first" || h.Path != "0" || h.For != 2 {
				t.Errorf("inside: %+v", h)
			}
			if q := door.Queue[0]; q.Plan != "second" || q.Path != "0/1" || q.Label != "section" || q.For != 1 {
				t.Errorf("queued: %+v", q)
			}
			if diff := cmp.Diff([]stand{{"0/1", "section", "sync", "", "queued", "door", 1}}, h.data("").Live[1].Stands); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			h.loop.Advance(time.Hour)
			if door = h.guards()[0]; door.Queued+len(door.Queue) != 0 || len(door.Holders) != 1 {
				t.Fatalf("after an hour: %+v", door)
			}
			if h := door.Holders[0]; h.Plan != "second" || h.State != "running" || h.For != 2 {
				t.Errorf("inside after an hour: %+v", h)
			}
			h.loop.Run()
			if door := h.guards()[0]; door.Inside+door.Queued+len(door.Holders)+len(door.Queue) != 0 {
				t.Errorf("at last: %+v", door)
			}
		})
	}
}

func TestNamesOfGuards(t *testing.T) {
	h := newHarness(t, debug.Options{})
	h.Guard("a", syncx.NewMutex(1, 0))
	h.Guard("b", new(syncx.Mutex))
	h.Guard("a", syncx.NewThrottle(1, time.Second, 0))
	h.Guard("c", syncx.NewMutex(1, 0))
	h.Guard("c", nil)
	got := h.guards()
	if len(got) != 2 || got[0].Name != "b" || got[0].Problem == "" || got[1].Kind != "*syncx.Throttle" || got[1].Problem != "" {
		t.Errorf("got %+v", got)
	}
}
