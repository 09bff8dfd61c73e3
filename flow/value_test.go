package flow_test

import (
	"errors"
	"regexp"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func TestValue(t *testing.T) {
	t.Run("success, whatever reaches it", func(t *testing.T) {
		plays(t, flow.Then(flow.Value[string](1), flow.Value[int]("x")), "in", "x")
	})
	t.Run("error before it: not reached", func(t *testing.T) {
		var b book
		got, err := play(t, flow.Then(b.failing("fails", errBad), flow.Value[none](123)), none{})
		coded(t, err, "Bad")
		if got != 0 {
			t.Errorf("got %d", got)
		}
	})
	t.Run("every run is given the same", func(t *testing.T) {
		shared := new(int)
		p := flow.Value[none](shared)
		plays(t, flow.Then(p, step.Map(func(p *int) bool { *p++; return p == shared })), none{}, true)
		plays(t, flow.Then(p, step.Map(func(p *int) int { return *p })), none{}, 1)
	})
}

// closureLine is what the name of a closure ends with.
var closureLine = regexp.MustCompile(`:\d+$`)

func TestNamed(t *testing.T) {
	name := step.Func(func(as step.Scope, before string) (string, error) {
		for _, m := range as.Trace() {
			before += " " + m.Path + ":" + closureLine.ReplaceAllString(m.Name, "")
		}
		return before, nil
	})
	t.Run("a single step gets the name", func(t *testing.T) { plays(t, flow.Named("n", name), "", " 0:n") })
	t.Run("the outer name counts", func(t *testing.T) { plays(t, flow.Named("outer", flow.Named("inner", name)), "", " 0:outer") })
	t.Run("several steps get one that holds them", func(t *testing.T) {
		plays(t, flow.Named("n", flow.Chain(name, name)), "", " 0/0:TestNamed 0:n 0/1:TestNamed 0:n")
	})
	t.Run("the original keeps its own", func(t *testing.T) {
		plays(t, flow.Chain(flow.Named("n", name), name), "", " 0:n 1:TestNamed")
	})
	t.Run("error names it", func(t *testing.T) {
		var b book
		_, err := play(t, flow.Named("culprit", b.failing("fails", errBad)), none{})
		if e := coded(t, err, "Bad"); e.Name != "culprit" {
			t.Errorf("named %q", e.Name)
		}
	})
	t.Run("cancel and timeout pass through", func(t *testing.T) {
		var b book
		coded(t, cancelled(t, flow.Named("n", b.waiting("hook"))), fault.Cancelled)
		_, err := play(t, flow.Named("slow", flow.Timeout(time.Second, b.waiting("hook"))), none{})
		if e := coded(t, err, fault.Timeout); e.Name != "slow" || e.Info != "step 0 slow took longer than 1s" {
			t.Errorf("ended with %+v", e)
		}
		b.is(t, "hook", "hook")
	})
}

func TestOf(t *testing.T) {
	p := flow.Of(step.Func(func(_ step.Scope, i int) (int, error) {
		if i < 0 {
			return 0, errBad
		}
		return i, nil
	}))
	plays(t, p, 1, 1)
	if _, err := play(t, p, -1); !errors.Is(err, errBad) {
		t.Errorf("ended with %v", err)
	}
}
