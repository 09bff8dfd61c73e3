package temporal_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
	"github.com/futoin-go/asyncsteps/fault"
)

// Time is virtual here, so limits and delays can be hours, and programs that time out are included. Programs that don't end on a loop are left out.
func TestDrawnPrograms(t *testing.T) {
	calls, failed, timeouts := 0, 0, 0
	for i, p := range enginetest.DrawnPrograms(t) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			here := p.Here(time.Hour, time.Hour)
			if !here.Ended {
				return
			}
			calls += here.Calls
			if here.Code != "" {
				failed++
			}
			if here.Code == fault.Timeout {
				timeouts++
			}
			there, thereErr := durabletest.Run(p.Workflow("drawn", time.Hour, time.Hour), p.Input)
			if got := enginetest.Outcome(there, thereErr); got != here.Outcome {
				t.Errorf("in a workflow it has ended with %s\nhere with %s", got, here.Outcome)
			}
		})
	}
	t.Logf("%d calls of bodies, %d programs have failed, %d of them by a limit", calls, failed, timeouts)
	if calls == 0 || failed == 0 || timeouts == 0 {
		t.Error("the programs test too little")
	}
}

// Delays are milliseconds here. Limits are hours, so that they don't depend on the speed of the server; programs that wait for one are
// left out. The histories also replay.
func TestDrawnProgramsOnServer(t *testing.T) {
	c := serve(t).client()
	programs := enginetest.DrawnPrograms(t)
	workflows := make([]*durable.Workflow[int, int], len(programs))
	var registers []func(temporal.Registry) error
	for i, p := range programs {
		workflows[i] = p.Workflow(fmt.Sprintf("drawn%d", i), time.Millisecond, time.Hour)
		registers = append(registers, temporal.Of(workflows[i]).Register)
	}
	work(t, c, "programs", registers...)
	var next, executed atomic.Int32
	t.Run("programs", func(t *testing.T) {
		for range 12 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				for i := next.Add(1) - 1; int(i) < len(programs); i = next.Add(1) - 1 {
					here := programs[i].Here(time.Millisecond, time.Hour)
					if !here.Ended || here.Took > time.Minute {
						continue
					}
					executed.Add(1)
					id := fmt.Sprintf("program-%d", i)
					run, err := workflows[i].Start(t.Context(), temporal.Engine(c, "programs"), id, programs[i].Input)
					if err != nil {
						t.Fatal(err)
					}
					there, thereErr := run.Wait(withinLimit(t))
					if got := enginetest.Outcome(there, thereErr); got != here.Outcome {
						t.Errorf("program %d: on the server it has ended with %s\nhere with %s", i, got, here.Outcome)
					}
					if err = replay(t, c, workflows[i], id); err != nil {
						t.Errorf("program %d: replay: %v", i, err)
					}
				}
			})
		}
	})
	t.Logf("%d of %d programs", executed.Load(), len(programs))
	if int(executed.Load()) < len(programs)*3/4 {
		t.Error("the programs test too little")
	}
}
