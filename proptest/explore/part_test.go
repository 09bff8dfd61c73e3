package explore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// wait is a step that waits for a nanosecond.
func wait() step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) {
			_, _ = as.Loop().Deferred(1, func() { done.Succeed(in) })
		})
	})
}

// Runs that are apart have one schedule if each alone has one.
func TestRunsApart(t *testing.T) {
	for n := 1; n <= 10; n++ {
		r := explore.All(explore.Bounds{}, func(x *explore.Trial) error {
			var runs []*flow.Running[int]
			for i := range n {
				x.Apart(fmt.Sprint(i), func() { runs = append(runs, explore.Start(t.Context(), x, wait(), i)) })
			}
			if err := x.Run(); err != nil {
				return err
			}
			for i, run := range runs {
				if got, err := run.Result(); got != i || err != nil {
					return fmt.Errorf("run %d: %d, %w", i, got, err)
				}
			}
			return nil
		})
		if r.Trials != 1 || !r.Complete || r.Failure != nil {
			t.Errorf("%d runs: %+v", n, r)
		}
	}
}

// Actions that are apart conflict by their notes, unless the order of notes doesn't count.
func TestActionsApart(t *testing.T) {
	for _, sorted := range []bool{false, true} {
		r := explore.All(explore.Bounds{}, func(x *explore.Trial) error {
			if sorted {
				x.NotesApart()
			}
			var actions []explore.Action
			for _, name := range []string{"a", "b", "c", "d"} {
				actions = append(actions, explore.Action{Name: name, Part: name, Do: func() {}})
			}
			return x.Run(actions...)
		})
		want := 24
		if sorted {
			want = 1
		}
		if r.Schedules != want || r.Outcomes != want || !r.Complete {
			t.Errorf("sorted %t: %+v, want %d", sorted, r, want)
		}
	}
}

// Only the orders of events that may matter are tried: each row says how many schedules that takes.
func TestWhatIsTriedOfParts(t *testing.T) {
	nothing := func() {}
	for _, c := range []struct {
		name                string
		schedules, outcomes int
		does                func(x *explore.Trial, loop *tooltest.Loop)
	}{
		{"parts that note nothing", 1, 1, func(x *explore.Trial, loop *tooltest.Loop) {
			x.Apart("a", func() { _, _ = loop.Immediate(nothing) })
			x.Apart("b", func() { _, _ = loop.Immediate(nothing) })
		}},
		{"one after the other in each part", 1, 1, func(x *explore.Trial, loop *tooltest.Loop) {
			for _, name := range []string{"a", "b"} {
				x.Apart(name, func() { _, _ = loop.Immediate(func() { _, _ = loop.Immediate(nothing) }) })
			}
		}},
		{"two callbacks of a part", 2, 1, func(x *explore.Trial, loop *tooltest.Loop) {
			for range 2 {
				x.Apart("a", func() { _, _ = loop.Immediate(nothing) })
			}
			x.Apart("b", func() { _, _ = loop.Immediate(nothing) })
		}},
		{"both note", 2, 2, func(x *explore.Trial, loop *tooltest.Loop) {
			x.Apart("a", func() { _, _ = loop.Immediate(func() { x.Note("a") }) })
			x.Apart("b", func() { _, _ = loop.Immediate(func() { x.Note("b") }) })
		}},
		{"both note, at different times", 1, 1, func(x *explore.Trial, loop *tooltest.Loop) {
			x.Apart("a", func() { _, _ = loop.Immediate(func() { x.Note("a") }) })
			x.Apart("b", func() {
				_, _ = loop.Immediate(func() { _, _ = loop.Deferred(1, func() { x.Note("b") }) })
			})
		}},
		{"one that belongs to no part", 2, 1, func(x *explore.Trial, loop *tooltest.Loop) {
			_, _ = loop.Immediate(nothing)
			x.Apart("a", func() { _, _ = loop.Immediate(nothing) })
		}},
		{"what belongs to no part cancels", 2, 2, func(x *explore.Trial, loop *tooltest.Loop) {
			var h tool.Handle
			_, _ = loop.Immediate(func() { loop.Cancel(h) })
			x.Apart("a", func() { h, _ = loop.Immediate(func() { x.Note("a") }) })
		}},
		{"another part cancels", 2, 2, func(x *explore.Trial, loop *tooltest.Loop) {
			var h tool.Handle
			x.Apart("a", func() { _, _ = loop.Immediate(func() { loop.Cancel(h) }) })
			x.Apart("b", func() { h, _ = loop.Immediate(func() { x.Note("b") }) })
		}},
		{"time passes", 2, 1, func(x *explore.Trial, loop *tooltest.Loop) {
			x.Slow()
			x.Apart("a", func() { _, _ = loop.Immediate(nothing) })
			x.Apart("b", func() { _, _ = loop.Immediate(nothing) })
		}},
		{"actions are offered later", 2, 1, func(x *explore.Trial, loop *tooltest.Loop) {
			x.Apart("a", func() { _, _ = loop.Immediate(nothing) })
			x.Apart("b", func() { _, _ = loop.Immediate(nothing) })
			_ = x.Run()
			_ = x.Drive(func() []explore.Action { return nil })
		}},
		{"actions might be offered", 2, 1, func(x *explore.Trial, loop *tooltest.Loop) {
			x.Apart("a", func() { _, _ = loop.Immediate(nothing) })
			x.Apart("b", func() { _, _ = loop.Immediate(nothing) })
			_ = x.Drive(func() []explore.Action { return nil })
		}},
		{"an action before and after time has moved", 6, 6, func(x *explore.Trial, loop *tooltest.Loop) {
			x.Apart("a", func() { _, _ = loop.Deferred(1, func() { x.Note("a") }) })
			x.Apart("b", func() { _, _ = loop.Deferred(1, func() { x.Note("b") }) })
			_ = x.Run(explore.Action{Name: "c", Part: "c", Do: nothing})
		}},
	} {
		r := explore.All(explore.Bounds{}, func(x *explore.Trial) error {
			c.does(x, x.Loop())
			return x.Run()
		})
		if r.Schedules != c.schedules || r.Trials != c.schedules || r.Outcomes != c.outcomes || !r.Complete {
			t.Errorf("%s: %+v, want %d schedules and %d outcomes", c.name, r, c.schedules, c.outcomes)
		}
	}
}

// A bound of delays counts departures from the plain order, and an equivalent schedule may have more of them.
func TestDelaysOfParts(t *testing.T) {
	r := explore.All(explore.Bounds{Delays: 1}, func(x *explore.Trial) error {
		for _, name := range []string{"a", "b"} {
			x.Apart(name, func() { _, _ = x.Loop().Immediate(func() {}) })
		}
		return x.Run()
	})
	if r.Schedules != 2 || !r.Complete {
		t.Errorf("got %+v, want both orders", r)
	}
}

// A schedule of a reduced search replays the trial that it stands for.
func TestReplayOfParts(t *testing.T) {
	var order []string
	body := func(x *explore.Trial) error {
		order = nil
		for _, name := range []string{"a", "b", "c"} {
			x.Apart(name, func() {
				_, _ = x.Loop().Immediate(func() { order = append(order, name); x.Note("%s", name) })
			})
		}
		err := x.Run()
		if strings.Join(order, "") == "cab" {
			return errThird
		}
		return err
	}
	r := explore.All(explore.Bounds{}, body)
	if r.Failure == nil || r.Failure.Schedule.String() != "2" {
		t.Fatalf("got %+v", r.Failure)
	}
	if err := explore.Replay(r.Failure.Schedule, body); !errors.Is(err, errThird) {
		t.Errorf("the replay gives %v after %v", err, order)
	}
}
