package dyn

import (
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/observe"
)

type composed struct {
	s *plan.Stage[struct{}, struct{}]
}

func (c composed) Stage() *plan.Stage[struct{}, struct{}] { return c.s }

// Events of branches have the right paths: the outermost step of a branch is a step, though its number isn't shown.
func TestBranchesAreObserved(t *testing.T) {
	errBranch := errors.New("branch")
	none := binval.Codec[struct{}]{}
	s := Embed(body{run: func(s *Step, _ *Args) {
		p := s.Parallel(body{}, Code{})
		p.Add(body{run: func(*Step, *Args) {}}, Code{})
		p.Add(body{run: func(s *Step, _ *Args) { s.Fail(errBranch) }}, Code{})
	}}, Code{}, &none, &none)
	recorder := observe.NewRecorder(100)
	if _, err := flow.Run(observe.With(t.Context(), recorder), composed{s}, struct{}{}); !errors.Is(err, errBranch) {
		t.Errorf("got %v", err)
	}
	told := map[string]int{}
	for _, e := range recorder.Runs()[0].Entries {
		told[e.Path+" "+e.Kind.String()]++
	}
	for _, want := range []string{"0/0/parallel.0 step start", "0/0/parallel.0 step end", "0/0/parallel.1 raised"} {
		if told[want] != 1 {
			t.Errorf("%q was told %d times; all: %v", want, told[want], told)
		}
	}
}
