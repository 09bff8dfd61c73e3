package explore_test

import (
	"fmt"
	"testing"

	"github.com/futoin-go/asyncsteps/proptest/explore"
)

// row queues n callbacks, each when the one before is executed, which call does with their numbers.
func row(x *explore.Trial, n int, does func(i int)) {
	var next func(i int)
	next = func(i int) {
		_, _ = x.Loop().Immediate(func() {
			does(i)
			if i+1 < n {
				next(i + 1)
			}
		})
	}
	next(0)
}

// An action comes late in many schedules. With even answers it would come after 15 callbacks in one of 65,536 schedules.
func TestDrawnActionsComeLate(t *testing.T) {
	const n, trials = 20, 3000
	for _, part := range []string{"", "a"} {
		var at [n + 1]int
		explore.Drawn(1, trials, func(x *explore.Trial) error {
			done := 0
			x.Apart(part, func() { row(x, n, func(int) { done++ }) })
			return x.Run(explore.Action{Name: "act", Part: part, Do: func() { at[done]++ }})
		})
		for i, times := range at {
			if i > 0 && times < trials/n/3 {
				t.Errorf("part %q: behind %d callbacks %d times of %d: %v", part, i, times, trials, at)
			}
		}
	}
}

// The moments of an action are spread: few of the 21 possible ones are missing after 30 schedules.
func TestDrawnActionsAreSpread(t *testing.T) {
	const n, seeds = 20, 50
	came := 0
	for seed := range uint64(seeds) {
		at := map[int]bool{}
		explore.Drawn(seed, 3*n/2, func(x *explore.Trial) error {
			done := 0
			row(x, n, func(int) { done++ })
			return x.Run(explore.Action{Name: "act", Do: func() { at[done] = true }})
		})
		came += len(at)
	}
	if came < seeds*(n-2) {
		t.Errorf("%.1f moments of %d on average", float64(came)/seeds, n+1)
	}
}

// Two actions come at any two moments: one after any number of callbacks, the other after any number more.
func TestDrawnActionsAreApart(t *testing.T) {
	const n, trials = 8, 3000
	seen := map[string]int{}
	explore.Drawn(1, trials, func(x *explore.Trial) error {
		done := 0
		row(x, n, func(int) { done++ })
		when := ""
		act := func() { when += fmt.Sprint(done, " ") }
		err := x.Run(explore.Action{Name: "a", Do: act}, explore.Action{Name: "b", Do: act})
		seen[when]++
		return err
	})
	if want := (n + 1) * (n + 2) / 2; len(seen) != want {
		t.Errorf("%d pairs of moments, want %d: %v", len(seen), want, seen)
	}
}

// Several actions come together near the beginning in some schedules.
func TestDrawnActionsComeTogether(t *testing.T) {
	early := 0
	explore.Drawn(1, 3000, func(x *explore.Trial) error {
		done, last := 0, 0
		row(x, 40, func(int) { done++ })
		var actions []explore.Action
		for _, name := range []string{"a", "b", "c", "d"} {
			actions = append(actions, explore.Action{Name: name, Do: func() { last = done }})
		}
		err := x.Run(actions...)
		if last < 6 {
			early++
		}
		return err
	})
	if early < 150 {
		t.Errorf("%d times", early)
	}
}

// In some schedules a callback is held up until 15 others have ended, each of which follows from the one before.
func TestDrawnCallbacksAreHeldUp(t *testing.T) {
	const n, trials = 15, 1000
	late := 0
	explore.Drawn(1, trials, func(x *explore.Trial) error {
		done := 0
		_, _ = x.Loop().Immediate(func() {
			if done == n {
				late++
			}
		})
		row(x, n, func(int) { done++ })
		return x.Run()
	})
	if late < trials/50 { // with even answers one of 32,768
		t.Errorf("%d times of %d", late, trials)
	}
}

// A schedule with one answer that isn't plain is drawn for each question: here one fault of 40.
func TestDrawnFaultsAreFew(t *testing.T) {
	const n, trials = 40, 3000
	var alone [n]int
	explore.Drawn(1, trials, func(x *explore.Trial) error {
		faults, last := 0, 0
		for i := range n {
			if x.Choose(2) == 1 {
				faults++
				last = i
			}
		}
		if faults == 1 {
			alone[last]++
		}
		return nil
	})
	for i, times := range alone {
		if times == 0 {
			t.Errorf("never call %d alone: %v", i, alone)
		}
	}
}

// What even answers find soon is found as well: here at least twelve faults of 20.
func TestDrawnFaultsAreMany(t *testing.T) {
	many := 0
	explore.Drawn(1, 300, func(x *explore.Trial) error {
		faults := 0
		for range 20 {
			faults += x.Choose(2)
		}
		if faults >= 12 {
			many++
		}
		return nil
	})
	if many < 10 {
		t.Errorf("%d times", many)
	}
}

// A seed draws the same schedules each time, also of a body with callbacks, runs, actions and time.
func TestDrawnIsRepeatable(t *testing.T) {
	schedules := func(seed uint64) (all []string) {
		explore.Drawn(seed, 100, func(x *explore.Trial) error {
			x.Slow()
			row(x, 5, func(i int) { x.Note("%d", i) })
			for i := range 3 {
				explore.Start(t.Context(), x, wait(), i)
			}
			err := x.Run(explore.Action{Name: "a", Do: func() {}}, explore.Action{Name: "b", Do: func() {}})
			all = append(all, fmt.Sprint(x.Loop().Now(), x.Notes(), x.Choose(1000)))
			return err
		})
		return all
	}
	a, b, c := fmt.Sprint(schedules(1)), fmt.Sprint(schedules(1)), fmt.Sprint(schedules(2))
	if a != b || a == c {
		t.Errorf("the seed doesn't decide:\n%s\n%s\n%s", a, b, c)
	}
}

// Drawn schedules find what needs two rows of callbacks held up, each for long.
func TestDrawnInReverse(t *testing.T) {
	reversed := 0
	explore.Drawn(1, 20_000, func(x *explore.Trial) error {
		order := ""
		for name := range 3 {
			row(x, 6, func(i int) {
				if i == 0 || i == 5 {
					order += fmt.Sprint(name)
				}
			})
		}
		err := x.Run()
		if order == "221100" {
			reversed++
		}
		return err
	})
	if reversed < 30 {
		t.Errorf("%d times", reversed)
	}
}
