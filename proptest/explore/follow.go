package explore

import (
	"errors"
	"slices"
)

// ErrDeparted is the error of a test that departs from an [Incident]. The text of [Reproduction].Departed names the event
// at which the test departs. [Trial.Run] and [Trial.Drive] return ErrDeparted in a trial that has departed.
var ErrDeparted = errors.New("explore: the test departs from the incident")

// followed is drive for a trial with a guide. Until all events have come, it first moves the clock of the loop forward to the time
// of the next event, unless it is later already. Then the guide decides which way the trial goes.
func (x *Trial) followed(offer func() []Action) error {
	g := x.guide
	for range endless {
		switch {
		case g.off != nil:
			return ErrDeparted
		case g.over():
			if !x.finish() {
				return nil
			}
			continue
		}
		g.elapse()
		ways := x.ways(offer())
		if len(ways) == 0 {
			g.depart(g.merged[g.front], "")
			return ErrDeparted
		}
		i := 0
		if len(ways) > 1 {
			i = min(g.decide(inOrder(len(ways)), len(ways)), len(ways)-1) // there may be fewer than before, if the body does other things
		}
		g.lead, g.key = true, 0
		ways[i]()
	}
	return ErrEndless
}

func (x *Trial) finish() bool {
	g := x.guide
	switch {
	case x.loop.Pending() > 0:
		x.loop.Step()
	case len(g.pending) > 0:
		g.give(g.pending[0])
	default:
		return false
	}
	return true
}

// ways returns what may happen next, the most likely first.
func (x *Trial) ways(actions []Action) (ways []func()) {
	g := x.guide
	c, now := g.answerable()
	answer := func() { g.give(c) }
	ends, others := g.leaving()
	switch {
	case now:
		ways = append(ways, answer)
		ways = append(ways, g.quietly(answer)...)
	case ends != nil:
		ways = append(ways, func() { g.give(ends) })
	}
	if x.loop.Pending() > 0 {
		ways = append(ways, func() { x.loop.Step() })
	}
	for _, a := range actions {
		ways = append(ways, func() { x.do(a) })
	}
	if cancel, _ := g.cancelled(); cancel != nil {
		ways = append(ways, cancel)
	}
	if c != nil && !now {
		ways = append(ways, answer)
	}
	for _, c := range others {
		ways = append(ways, func() { g.give(c) })
	}
	for _, c := range g.unknown() {
		ways = append(ways, func() { g.give(c) })
	}
	if ahead := x.loop.Ahead(); ahead > 0 {
		ways = append(ways, func() { x.loop.Lag(ahead) })
	}
	return ways
}

func (g *guide) trial(body Body) error {
	g.begin()
	x := newGuided(g)
	g.loop = x.loop
	err := body(x)
	if g.off == nil && !g.over() {
		g.depart(g.merged[g.front], "")
	}
	return err
}

// trials bounds how many trials a search makes to find the recorded order.
const trials = 1000

// most bounds the events of these trials: when more have come, no further trial is begun.
const most = 60_000

// others bounds how many more trials a loose guide makes after the first one in which all events come and the body passes. They look
// for a trial in which the body fails.
const others = 50

// search looks for a trial in which all events come, and returns the error of the body. If there is no such trial, search also
// returns the departures of the trials that came farthest, and repeats the first of these, so that g is as that trial leaves it.
// With a loose guide the body may pass in one order and fail in another: search prefers a failure.
func (g *guide) search(body Body) (far []departure, err error) {
	var farthest, passed []decision
	events, left := 0, trials
	for ; left > 0 && events <= most; left-- {
		err = g.trial(body)
		events += g.matched
		if g.off == nil {
			if err != nil || !g.loose {
				return nil, err
			}
			if passed == nil {
				passed, left = slices.Clone(g.path), min(left, others)
			}
		} else if passed == nil {
			d := *g.off
			if len(far) > 0 && d.matched > far[0].matched {
				far = nil
			}
			if far == nil {
				farthest = slices.Clone(g.path)
			}
			if len(far) == 0 || d.matched == far[0].matched && !slices.Contains(far, d) {
				far = append(far, d)
			}
		}
		if !g.back() {
			break
		}
	}
	if passed != nil {
		far, farthest = nil, passed
	}
	g.path, g.given = farthest, len(farthest)
	err = g.trial(body)
	return far, err
}
