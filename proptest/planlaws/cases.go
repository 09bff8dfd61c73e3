package planlaws

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
)

// never is larger than the number of any callback.
const never = endless + 1

// bench is a subject with one of its inputs.
type bench[In, Out any] struct {
	s     *Subject[In, Out]
	input int
	in    func() In // draws the input anew: a run may change its input

	times []time.Duration // when the callbacks come under a limit that doesn't pass; nil until that is measured
}

func (s *Subject[In, Out]) bench(i int) *bench[In, Out] {
	return &bench[In, Out]{s: s, input: i, in: func() In { return s.Input(rand.New(rand.NewPCG(s.Seed, uint64(i)))) }}
}

func (s *Subject[In, Out]) input(i int) *Violation {
	b := s.bench(i)
	o, broken := b.run(incident{kind: plain})
	if broken != nil {
		return broken
	}
	for _, k := range []kind{fresh, again, unobserved} {
		if broken := b.compared(k); broken != nil {
			return broken
		}
	}
	for _, k := range []kind{failsCall, panicsCall} {
		if broken := b.points(k, 1, o.calls); broken != nil {
			return broken
		}
	}
	for _, k := range []kind{cancels, limits} {
		o, broken := b.run(incident{kind: k, at: never})
		b.times = o.times
		if broken == nil {
			broken = b.points(k, 0, o.steps)
		}
		if broken != nil {
			return broken
		}
	}
	return b.schedules()
}

func (b *bench[In, Out]) run(c incident) (outcome[Out], *Violation) {
	if c.kind == limits {
		c.limit = b.limit(c.at)
	}
	w := b.s.world()
	o, broken := run(b.s, w, b.s.Plan(w), b.in(), c, nil)
	return o, b.of(c, broken)
}

// limit returns the limit with which run makes the clock go a nanosecond ahead before callback at, so that the limit has passed
// there. With a longer limit the clock would have to jump, which would also end graces, and limits inside of the plan.
func (b *bench[In, Out]) limit(at int) time.Duration {
	if at == never {
		return patience
	}
	if b.times == nil {
		o, _ := b.run(incident{kind: limits, at: never})
		b.times = o.times
	}
	if at >= len(b.times) {
		return patience
	}
	return b.times[at] + 1
}

func (b *bench[In, Out]) of(c incident, broken *Violation) *Violation {
	if broken != nil {
		broken.Story, broken.Input, broken.Case = c.story(), fmt.Sprintf("%+v", b.in()), fmt.Sprintf("%d/%v", b.input, c)
	}
	return broken
}

// points runs the plan once for each point from first to last, with an incident of kind k there. It tries at most
// Subject.Points points, spread evenly.
func (b *bench[In, Out]) points(k kind, first, last int) *Violation {
	count := min(last-first+1, b.s.Points)
	for i := range count {
		at := first + i*(last-first+1)/count
		if _, broken := b.run(incident{kind: k, at: at}); broken != nil {
			return broken
		}
	}
	return nil
}

func (b *bench[In, Out]) compared(k kind) *Violation {
	law := map[kind]Law{fresh: Repeatable, again: Value, unobserved: Unobserved}[k]
	if slices.Contains(b.s.Without, law) {
		return nil
	}
	w := b.s.world()
	plan := b.s.Plan(w)
	before := flow.Describe(plan)
	first, broken := run(b.s, w, plan, b.in(), incident{kind: plain}, nil)
	if broken != nil {
		return b.of(incident{kind: plain}, broken)
	}
	c := incident{kind: k}
	if broken := b.s.described(before, flow.Describe(plan)); broken != nil {
		return b.of(c, broken)
	}
	if k != again {
		w = b.s.world()
		plan = b.s.Plan(w)
	}
	second, broken := run(b.s, w, plan, b.in(), c, nil)
	if broken != nil {
		return b.of(c, broken)
	}
	if what := differs(first, second, k != unobserved); what != "" {
		return b.of(c, &Violation{Law: law, What: what, Trace: second.trace})
	}
	return nil
}

// trial runs a new plan in the order that x chooses, with a cancel where x places it.
func (b *bench[In, Out]) trial(x *explore.Trial) error {
	if _, broken := b.ordered(x); broken != nil {
		return broken
	}
	return nil
}

func (b *bench[In, Out]) ordered(x *explore.Trial) (outcome[Out], *Violation) {
	var taken explore.Schedule
	choose := func(n int) int {
		answer := x.Choose(n)
		taken = append(taken, answer)
		return answer
	}
	w := b.s.world()
	o, broken := run(b.s, w, b.s.Plan(w), b.in(), incident{kind: scheduled}, choose)
	return o, b.of(incident{kind: scheduled, schedule: taken}, broken)
}

// schedules tries other orders, beginning with those nearest to the plain one.
func (b *bench[In, Out]) schedules() *Violation {
	r := explore.All(explore.Bounds{Schedules: b.s.Schedules, Delays: 2}, b.trial)
	if broken := b.failed(r); broken != nil {
		return broken
	}
	if r.Complete {
		return nil
	}
	return b.failed(explore.Drawn(b.s.Seed, b.s.Schedules, b.trial))
}

// failed returns the violation that a search has found, or nil. A search also ends if the plan does different things in the same
// order. This breaks Repeatable; failed returns nil then if the subject isn't held to that law.
func (b *bench[In, Out]) failed(r explore.Result) *Violation {
	if r.Failure == nil {
		return nil
	}
	if broken, ok := errors.AsType[*Violation](r.Failure.Err); ok {
		return broken
	}
	if slices.Contains(b.s.Without, Repeatable) {
		return nil
	}
	if broken := b.repeated(r.Failure.Schedule); broken != nil {
		return broken
	}
	return b.of(incident{kind: scheduled, schedule: r.Failure.Schedule}, &Violation{Law: Repeatable, What: r.Failure.Err.Error()})
}

// tries is how often an order is run to see whether the plan does the same each time.
const tries = 20

// repeated runs new plans in the same order, and compares what they do.
func (b *bench[In, Out]) repeated(s explore.Schedule) (broken *Violation) {
	if slices.Contains(b.s.Without, Repeatable) {
		return nil
	}
	var first, next outcome[Out]
	for i := range tries {
		_ = explore.Replay(s, func(x *explore.Trial) error {
			next, broken = b.ordered(x)
			return nil
		})
		if broken != nil {
			return broken
		}
		if i == 0 {
			first = next
		}
		if what := differs(first, next, true); what != "" {
			return b.of(incident{kind: scheduled, schedule: s}, &Violation{Law: Repeatable, What: what, Trace: next.trace})
		}
	}
	return nil
}
