package laws_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

type verdicts struct{ runs, events, unknown int }

// judge asks the model about two runs of the program: in the plain order and in another one.
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

// of asks the model about one trace. It returns nil for a trace on which the model has given up.
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

// close fails the test if the model gave up on more than one run in twenty and ten more.
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

// The model refuses most of the traces that lack one event of a kind. It accepts some rightly, because what happens at one
// moment may have more than one outcome; a model that overlooks a kind accepts all.
func TestModelRefusesWhatLacksAnEvent(t *testing.T) {
	type count struct{ refused, accepted int }
	counts := map[what]*count{}
	rapid.Check(t, func(t *rapid.T) {
		p := programs(shape{}).Draw(t, "program")
		tr, err := build(p).plain()
		if err != nil {
			t.Fatal(err)
		}
		at := rapid.IntRange(0, len(tr)-1).Draw(t, "which")
		if tr[at].what == eDone && !tr[at].ok {
			return // it has come too late, so it needn't have come
		}
		n := counts[tr[at].what]
		if n == nil {
			n = new(count)
			counts[tr[at].what] = n
		}
		switch err := accepts(p, slices.Delete(slices.Clone(tr), at, at+1)); {
		case err == nil:
			n.accepted++
		case !errors.Is(err, errUnknown):
			n.refused++
		}
	})
	for kind, n := range counts {
		t.Logf("%v: %d refused, %d accepted", kind, n.refused, n.accepted)
		if n.accepted > 5+n.refused/2 {
			t.Errorf("of %d traces without a %v the model accepts %d", n.refused+n.accepted, kind, n.accepted)
		}
	}
}
