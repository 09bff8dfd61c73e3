package planlaws

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
)

// ReplayVar is the environment variable that makes [Check] run one case only. A failure of a run prints the whole command.
const ReplayVar = "PLANLAWS_REPLAY"

// ErrInjected is the error of a failing [World.Call] if [Subject.Fault] is nil.
var ErrInjected = fault.New("Injected", "an error that the test has put in")

// Subject is the plan to check, and how to check it. All fields but Plan may be zero.
type Subject[In, Out any] struct {
	// Plan makes the plan anew, with fakes that report to w. Required.
	Plan func(w *World) flow.Plan[In, Out]

	// Input draws an input; nil stands for the zero value. It is called anew for each run, so an input
	// may be something that a run uses up, such as a reader. A generator of package rapid can draw inputs:
	// gen.Example(int(r.Int32())).
	Input func(r *rand.Rand) In

	// Judge returns what is wrong with the result of a run, or nil. It is called for each run that ends, also for one that has
	// failed or was cancelled. If the field is nil, every result is accepted.
	Judge func(in In, out Out, err error) error

	// Fault is the error that a failing call returns or panics with; nil stands for ErrInjected. Use an error that the
	// plan treats specially: that it retries, compensates, or gives up at.
	Fault error

	// Without lists laws that the plan isn't held to, such as Value for a plan that keeps a cache.
	Without []Law

	// Inputs is how many inputs are drawn; 0 stands for 10. Seed is the seed for inputs and schedules.
	Inputs int
	Seed   uint64

	// Points is the maximal number of points of a run, spread evenly, that are tried with each of a cancel, a limit, an error
	// and a panic; 0 stands for 100.
	Points int

	// Schedules is the maximal number of schedules that are tried with each input; 0 stands for 200. These depart
	// at most twice from the plain order; a cancel is a departure as well. If there are more such schedules, as
	// many again are drawn, with any number of departures.
	Schedules int
}

// Violation says which law is broken, and how.
type Violation struct {
	Law   Law
	What  string   // what is wrong
	Story string   // what happened when, in words
	Input string   // the input, printed
	Case  string   // the value for ReplayVar; empty if the law needs no run
	Trace []string // what the fakes have reported, and when a cancel or a limit came
}

// Error describes the violation in several lines.
func (v *Violation) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "law %v\nbroken: %s\n", v.Law, v.What)
	if v.Case != "" {
		fmt.Fprintf(&b, "when: %s, input %s\n", v.Story, v.Input)
	}
	for _, line := range v.Trace {
		fmt.Fprintf(&b, "\t%s\n", line)
	}
	return b.String()
}

// Check holds a plan to the laws, and fails tb with the first that is broken and, if a run has broken it, with the command
// that runs that case again. The environment variable [ReplayVar] makes it run that case only.
func Check[In, Out any](tb testing.TB, s Subject[In, Out]) {
	tb.Helper()
	var err error
	if text := os.Getenv(ReplayVar); text != "" {
		err = Replay(s, text)
	} else {
		err = Verify(s)
	}
	broken, ok := errors.AsType[*Violation](err)
	switch {
	case ok && broken.Case != "":
		name := "^" + strings.NewReplacer("/", "$/^", "'", `'\''`).Replace(regexp.QuoteMeta(tb.Name())) + "$"
		tb.Fatalf("%v\nreplay: %s=%s go test -run '%s' .\n", err, ReplayVar, broken.Case, name)
	case err != nil:
		tb.Fatal(err)
	}
}

// Verify is [Check] without a test. It returns the first [*Violation], or nil, and doesn't look at [ReplayVar].
func Verify[In, Out any](s Subject[In, Out]) error {
	s = s.defaults()
	if broken := s.static(); broken != nil {
		return broken
	}
	for i := range s.Inputs {
		if broken := s.input(i); broken != nil {
			return broken
		}
	}
	return nil
}

// Replay runs one case, and returns the [*Violation] that it finds, or nil. The parameter of is a [Violation.Case]: for another
// text Replay returns another error.
func Replay[In, Out any](s Subject[In, Out], of string) error {
	s = s.defaults()
	i, c, err := parseCase(of)
	if err != nil {
		return err
	}
	b := s.bench(i)
	switch c.kind {
	case fresh, again, unobserved:
		if broken := b.compared(c.kind); broken != nil {
			return broken
		}
	case scheduled:
		if err := explore.Replay(c.schedule, b.trial); err != nil {
			return err
		}
		if broken := b.repeated(c.schedule); broken != nil {
			return broken
		}
	default:
		if _, broken := b.run(c); broken != nil {
			return broken
		}
	}
	return nil
}

func (s Subject[In, Out]) defaults() Subject[In, Out] {
	fallback := func(n *int, standard int) {
		if *n <= 0 {
			*n = standard
		}
	}
	fallback(&s.Inputs, 10)
	fallback(&s.Points, 100)
	fallback(&s.Schedules, 200)
	if s.Fault == nil {
		s.Fault = ErrInjected
	}
	if s.Input == nil {
		s.Input = func(*rand.Rand) (zero In) { return zero }
	}
	return s
}

func (s *Subject[In, Out]) world() *World { return &World{fault: s.Fault} }

func (s *Subject[In, Out]) static() *Violation {
	plan := s.Plan(s.world())
	if err := plan.Err(); err != nil && !slices.Contains(s.Without, Valid) {
		return &Violation{Law: Valid, What: err.Error()}
	}
	return s.described(flow.Describe(plan), flow.Describe(s.Plan(s.world())))
}

func (s *Subject[In, Out]) described(before, after *flow.Tree) *Violation {
	changes := flow.Diff(before, after)
	switch {
	case slices.Contains(s.Without, Described):
	case len(changes) != 0:
		return &Violation{Law: Described, What: changes[0].String()}
	case before.Digest != after.Digest:
		return &Violation{Law: Described, What: "the digests are different"}
	}
	return nil
}
