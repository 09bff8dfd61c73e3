package debug_test

import (
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type loopShown struct {
	Name    string
	Live    int
	Lag     float64
	Problem string
}

func (h *harness) loops() (all []loopShown) {
	h.Helper()
	if err := json.Unmarshal(h.data("loops").Loops, &all); err != nil { //nolint:musttag // the names are the same without their case
		h.Fatal(err)
	}
	return all
}

// One loop answers late, one too late for the page, one is shut down: the page doesn't wait longer than it must.
func TestLoops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, debug.Options{})
		busy, stuck, stopped := tool.Start(tool.Options{}), tool.Start(tool.Options{}), tool.Start(tool.Options{})
		if err := stopped.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.Loop("busy", busy)
		h.Loop("stuck", stuck)
		h.Loop("stopped", stopped)
		h.Loop("gone", busy)
		h.Loop("gone", nil)
		running := flow.Start(t.Context(), busy, plantest.Delay("", time.Hour), step.Unit{})
		synctest.Wait()
		blocks := func(l *tool.Loop, d time.Duration) {
			_, _ = l.Immediate(func() { <-time.After(d) })
			synctest.Wait()
		}
		blocks(busy, 100*time.Millisecond)
		blocks(stuck, time.Second)
		began := time.Now()
		got := h.loops()
		if took := time.Since(began); took != 250*time.Millisecond {
			t.Errorf("the page took %v", took)
		}
		want := []loopShown{{"busy", 1, 0.1, ""}, {"stuck", 0, 0, "no answer within 250ms"}, {"stopped", 0, 0, "it is shut down"}}
		if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
			t.Errorf("got %+v, want %+v", got, want)
		}
		h.Loop("stuck", nil)
		began = time.Now()
		if h.loops(); time.Since(began) != 0 {
			t.Errorf("with loops that answer it took %v", time.Since(began))
		}
		running.Cancel(nil)
		if err := errors.Join(busy.Shutdown(t.Context()), stuck.Shutdown(t.Context())); err != nil {
			t.Error(err)
		}
	})
}

func TestProbesAreTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, debug.Options{})
		idle := tooltest.New()
		h.Loop("idle", idle)
		for range 3 {
			if got := h.loops(); got[0].Problem == "" {
				t.Errorf("got %+v", got)
			}
		}
		if n := idle.Pending(); n != 0 {
			t.Errorf("%d callbacks are left", n)
		}
	})
}
