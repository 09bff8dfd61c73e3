package flow_test

import (
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestOf(t *testing.T) {
	p := flow.Of(step.Func(func(_ step.Scope, i int) (int, error) {
		if i < 0 {
			return 0, errBad
		}
		return i, nil
	}))
	plantest.WantResult(t, p, 1, 1)
	if _, err := plantest.Run(t, p, -1); !errors.Is(err, errBad) {
		t.Errorf("ended with %v", err)
	}
}
