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
	v.runs++
	v.events += len(tr)
	if err := accepts(p, tr); errors.Is(err, errUnknown) {
		v.unknown++
	} else if err != nil {
		t.Fatal(err)
	}
}

// close fails the test if the model gave up too often.
func (v *verdicts) close(t *testing.T) {
	t.Logf("%d runs with %d events; the model gave up on %d", v.runs, v.events, v.unknown)
	if v.unknown*100 > v.runs {
		t.Errorf("the model gave up on more than one run in a hundred: %d of %d", v.unknown, v.runs)
	}
}

func TestMachineIsTheModel(t *testing.T) {
	var v verdicts
	rapid.Check(t, func(t *rapid.T) { v.judge(t, programs(shape{}).Draw(t, "program")) })
	v.close(t)
}
