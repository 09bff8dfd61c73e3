package explore_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
)

// A search reports a body that does different things under the same schedule.
func TestNondeterminism(t *testing.T) {
	kept := 0
	draw := rand.New(rand.NewPCG(1, 2)) // kept between trials, like the global one
	pass := step.Map(func(n int) int { return n })
	for name, c := range map[string]struct {
		does  func(x *explore.Trial) // what isn't deterministic
		where []string
	}{
		"a map": {func(x *explore.Trial) {
			for key := range map[string]int{"a": 1, "b": 2, "c": 3, "d": 4} {
				x.Note("%s", key)
			}
		}, []string{`once the note "`, `then the note "`}},
		"random numbers": {func(x *explore.Trial) {
			for range draw.IntN(100) {
				x.Note("a number")
			}
		}, []string{`the note "a number"`}},
		"trials share something": {func(x *explore.Trial) {
			kept++
			x.Choose(2 + kept%2)
		}, []string{"at its beginning: once the choice of one of 3, then the choice of one of 2"}},
		"another plan": {func(x *explore.Trial) {
			stages := slices.Repeat([]step.Step[int, int]{pass}, 1+draw.IntN(50))
			explore.Start(t.Context(), x, flow.Chain(stages...), 0)
			_ = x.Run()
			x.Note("%d stages", len(stages))
		}, []string{"of step ", "(determinism_test.go:"}},
	} {
		for _, delays := range []int{0, 2} {
			t.Run(fmt.Sprintf("%s, bound %d", name, delays), func(t *testing.T) {
				r := explore.All(explore.Bounds{Delays: delays}, func(x *explore.Trial) error {
					c.does(x)
					for range 8 {
						x.Choose(2)
					}
					return nil
				})
				if r.Failure == nil || !errors.Is(r.Failure.Err, explore.ErrNondeterministic) {
					t.Fatalf("got %+v", r)
				}
				for _, want := range c.where {
					if text := fmt.Sprint(r.Failure.Err); !strings.Contains(text, want) {
						t.Errorf("%q isn't in %s", want, text)
					}
				}
			})
		}
	}
}

// A failure that doesn't come again under its schedule isn't blamed on the schedule.
func TestFailureThatDoesNotComeAgain(t *testing.T) {
	trials := 0
	r := explore.All(explore.Bounds{}, func(x *explore.Trial) error {
		if trials++; trials == 3 {
			return errThird
		}
		return letters(3)(x)
	})
	if r.Failure == nil || !errors.Is(r.Failure.Err, errThird) || !errors.Is(r.Failure.Err, explore.ErrNondeterministic) {
		t.Errorf("got %+v", r.Failure)
	}
}
