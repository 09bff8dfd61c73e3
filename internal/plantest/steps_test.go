package plantest_test

import (
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestSteps(t *testing.T) {
	plantest.WantResult(t, plantest.Add(2), 40, 42)
	plantest.WantResult(t, plantest.Fail[int, string](nil), 1, "")
	plantest.WantResult(t, plantest.Named("a", nil), step.Unit{}, step.Unit{})

	_, err := plantest.Run(t, plantest.Named("a", fault.New("Bad", "so")), step.Unit{})
	if e := plantest.WantCode(t, err, "Bad"); e.Name != "a" {
		t.Errorf("failed in %q", e.Name)
	}
	_, err = plantest.Run(t, flow.Timeout(time.Second, plantest.Never[int, int]()), 1)
	plantest.WantCode(t, err, fault.Timeout)

	loop, run := plantest.Start(t, plantest.Delay("a", time.Second), step.Unit{})
	if _, err := plantest.Wait(t, loop, run); err != nil || loop.Now() != time.Second {
		t.Errorf("ended at %v with %v", loop.Now(), err)
	}
}

func TestInts(t *testing.T) {
	if got := plantest.Ints(3); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("got %v", got)
	}
}

func TestRecorder(t *testing.T) {
	var lines plantest.Recorder
	lines.Want(t)
	lines.Recordf("%d of %d", 1, 2)
	lines.Recordf("end")
	lines.Want(t, "1 of 2", "end")
	for _, wrong := range [][]string{nil, {"1 of 2"}, {"end", "1 of 2"}} {
		if got := record(t, func(tb testing.TB) { lines.Want(tb, wrong...) }); got == "" {
			t.Errorf("%q passes", wrong)
		}
	}
}
