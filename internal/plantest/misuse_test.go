package plantest_test

import (
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestMisuse(t *testing.T) {
	broken := step.Func(func(as step.Scope, n int) (int, error) { plantest.BreakRule(as); return n, nil })
	if e := plantest.WantFailure(t, broken, 1, fault.InvalidRequest); !strings.Contains(e.Info, plantest.BrokenRule) {
		t.Errorf("failed with %v", e)
	}
	plantest.WantCode(t, plantest.Refused[int, int]().Err(), fault.InvalidRequest)
}
