package flow_test

import (
	"regexp"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestValue(t *testing.T) {
	t.Run("success, whatever reaches it", func(t *testing.T) {
		plantest.WantResult(t, flow.Then(flow.Value[string](1), flow.Value[int]("x")), "in", "x")
	})
	t.Run("error before it: not reached", func(t *testing.T) {
		var rec recorder
		got, err := plantest.Run(t, flow.Then(rec.failing("fails", errBad), flow.Value[none](123)), none{})
		plantest.WantCode(t, err, "Bad")
		if got != 0 {
			t.Errorf("got %d", got)
		}
	})
	t.Run("every run is given the same", func(t *testing.T) {
		shared := new(int)
		p := flow.Value[none](shared)
		plantest.WantResult(t, flow.Then(p, step.Map(func(p *int) bool { *p++; return p == shared })), none{}, true)
		plantest.WantResult(t, flow.Then(p, step.Map(func(p *int) int { return *p })), none{}, 1)
	})
}

var closureLine = regexp.MustCompile(`:\d+$`)
