package explore_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/proptest/explore"
)

// together is a body of parts that may share a variable.
func together(shared bool, check func(a, b int) error) explore.Body {
	return func(x *explore.Trial) error {
		x.NotesApart()
		var a, b int
		of := map[string]*int{"first": &a, "second": &b, "third": new(int)}
		if shared {
			of["third"] = &b
		}
		for _, name := range []string{"first", "second", "third"} {
			x.Apart(name, func() {
				_, _ = x.Loop().Immediate(func() {
					n := of[name]
					*n = *n*2 + len(name)
					x.Note("%d", *n)
				})
			})
		}
		if err := x.Run(); err != nil {
			return err
		}
		return check(a, b)
	}
}

// A wrong declaration is found by notes and by the body's error, and the report names the parts.
func TestNotApart(t *testing.T) {
	errWrong := errors.New("b is wrong")
	right := func(int, int) error { return nil }
	r := explore.All(explore.Bounds{}, together(true, right))
	if f := r.Failure; f == nil || !errors.Is(f.Err, explore.ErrNotApart) || f.Schedule.Delays() != 1 || errors.Is(f.Err, explore.ErrNondeterministic) ||
		!strings.Contains(f.Err.Error(), `in "third" goes before what happens in "second"`) && !strings.Contains(f.Err.Error(), `in "third" goes before what happens in "first" and "second"`) {
		t.Errorf("got %+v", f)
	}
	r = explore.All(explore.Bounds{}, together(true, func(_, b int) error {
		if b != 6*2+5 {
			return errWrong
		}
		return nil
	}))
	if f := r.Failure; f == nil || !errors.Is(f.Err, explore.ErrNotApart) || !errors.Is(f.Err, errWrong) {
		t.Errorf("got %+v", f)
	}
	if r := explore.All(explore.Bounds{}, together(false, right)); r.Failure != nil || r.Schedules != 1 || r.Trials != 1 || !r.Complete {
		t.Errorf("parts that are apart: %+v", r)
	}
}

// Check draws schedules before the exhaustive search. Their outcomes don't hide that parts aren't apart.
func TestCheckFindsNotApart(t *testing.T) {
	r := &recorder{TB: t}
	explore.Check(r, explore.Bounds{}, func(x *explore.Trial) error {
		v := 0
		x.Apart("a", func() { _, _ = x.Loop().Immediate(func() { v = 1 }) })
		x.Apart("b", func() { _, _ = x.Loop().Immediate(func() { x.Note("%d", v) }) })
		return x.Run()
	})
	if !strings.Contains(r.failed, explore.ErrNotApart.Error()) {
		t.Errorf("got %q", r.failed)
	}
}
