package flow_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestWatchdogNamesTheStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stalls []tool.Stall
		loop := tool.Start(tool.Options{Watchdog: tool.Watchdog{
			After:  100 * time.Millisecond,
			Report: func(s tool.Stall) { stalls = append(stalls, s) },
		}})
		quick := step.Map(func(in int) int { return in + 1 })
		p := flow.Then(quick, flow.Then(flow.Named("price", step.Map(func(in int) int {
			time.Sleep(time.Second) //stepvet:ignore what a body must not do
			return in + 1
		})), quick))
		v, err := flow.Start(t.Context(), loop, p, 0).Wait(t.Context())
		if v != 3 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
		if err := loop.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if len(stalls) == 0 {
			t.Fatal("nothing was reported")
		}
		where := stalls[0].Where.String()
		if !strings.HasPrefix(where, "price ") || !strings.Contains(where, "flow_watchdog_test.go:") {
			t.Errorf("reported at %q", where)
		}
		if stalls[0].For < 100*time.Millisecond {
			t.Errorf("reported after %v", stalls[0].For)
		}
	})
}
