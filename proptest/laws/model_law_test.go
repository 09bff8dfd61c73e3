package laws_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

// verdicts counts the answers of the model.
type verdicts struct{ runs, events, unknown int }

// judge runs the program in the plain order and in another one, and asks the model about both traces.
func (v *verdicts) judge(t *rapid.T, p *program) {
	m := build(p)
	tr, err := m.plain()
	v.ask(t, p, tr, err)
	tr, s, err := m.under(schedules.Draw(t, "order"))
	if err == nil {
		t.Logf("schedule %v", s)
	}
	v.ask(t, p, tr, err)
}

func (v *verdicts) ask(t *rapid.T, p *program, tr trace, err error) {
	if err != nil {
		t.Fatalf("%v, after\n%v", err, tr)
	}
	if err := v.of(p, tr); err != nil {
		t.Fatal(err)
	}
}

// of asks the model about one trace and counts the answer. It returns nil for a trace that the model has given up on.
func (v *verdicts) of(p *program, tr trace) error {
	v.runs++
	v.events += len(tr)
	err := accepts(p, tr)
	if errors.Is(err, errUnknown) {
		v.unknown++
		return nil
	}
	return err
}

// close fails the test if the model gave up too often.
//
// It gives up on one run in 700, and then mostly on both runs of a program: two of a hundred programs are nothing
// strange. The bound is one run in twenty and ten more. For a hundred programs with two runs that is more than ten
// programs, which has a probability below 1e-14. A model that doesn't follow a common construct gives up on every
// program with that construct.
func (v *verdicts) close(t *testing.T) {
	t.Logf("%d runs with %d events; the model gave up on %d", v.runs, v.events, v.unknown)
	if most := 10 + v.runs/20; v.unknown > most {
		t.Errorf("the model gave up on %d of %d runs, more than %d", v.unknown, v.runs, most)
	}
}

func TestMachineIsTheModel(t *testing.T) {
	var v verdicts
	rapid.Check(t, func(t *rapid.T) { v.judge(t, programs(shape{}).Draw(t, "program")) })
	v.close(t)
}
