package explore

import (
	"fmt"
	"time"
)

// State sets a function that describes the state of the trial in a text. The search calls the function at each decision of the
// schedule. [All] and [Check] then don't try again what follows from a state that they have seen: n runs that each take k steps
// have up to n to the power of nk orders, but few states. Drawn schedules aren't affected.
//
// The text must contain everything that decides how the trial goes on and whether it fails: the variables of the test, the
// progress of each run, what is pending, and times relative to now. The search adds the actions that are left. If two states with
// the same text go on in different ways, one of them may not be tried. Earlier notes count only if the text contains them, see
// [Trial.Notes]. Otherwise [Result.Outcomes] may be lower than without State, and failures that depend on earlier notes may be
// missed.
//
// In a search with a bound of delays the text must also contain the order in which callbacks wait, because this order decides what
// counts as a delay. With [Trial.Slow] such a search lets time pass only before the first of several callbacks that don't depend
// on the time, not before each of them. To that end it sets the clock of x.Loop() to the next timer, calls the function once more,
// and sets the clock back. It lets no time pass here if a trial has gone on from the state that the function has described. The
// function must not change anything.
//
// State has no effect in a trial with parts, see [Trial.Apart], unless Slow or Drive is used. Call State before the first
// decision.
func (x *Trial) State(of func() string) { x.state = of }

// stateAt returns the state in which a question is asked, or "" if State wasn't called or the trial is reduced.
func (x *Trial) stateAt(q question) string {
	if x.state == nil || x.reduced() {
		return ""
	}
	return fmt.Sprintf("%d of %d, left %q: %s", q.of, q.n, x.left, x.state())
}

// offered records the names of the actions that can happen, if State was called.
func (x *Trial) offered(actions []Action) {
	if x.state == nil {
		return
	}
	x.left = nil
	for _, a := range actions {
		x.left = append(x.left, a.Name)
	}
}

// between returns the state between two events. State must have been called.
func (x *Trial) between() string { return fmt.Sprintf("left %q: %s", x.left, x.state()) }

// pass records the state between two events, if State and Slow were called.
func (x *Trial) pass() {
	if x.slow && x.state != nil {
		x.passed = append(x.passed, x.between())
	}
}

// after returns what between would return if d had passed since the last call of pass and nothing else had happened. It returns
// "" if State wasn't called, or if the text stays the same, because then the text doesn't contain the times.
func (x *Trial) after(d time.Duration) string {
	if x.state == nil {
		return ""
	}
	x.apart.Shift(d)
	defer x.apart.Shift(-d)
	if then := x.between(); then != x.passed[len(x.passed)-1] {
		return then
	}
	return ""
}

// states are the states that a search has seen.
type states map[string]struct{}

// know reports whether an earlier point had the same state as p, a new point of x. If so, what follows is tried from the earlier
// point only. Otherwise know remembers the state. It reports false if p has no state or x is reduced.
func (s *states) know(p *point, x *Trial) bool {
	if p.state == "" || x.reduced() {
		return false
	}
	if _, seen := (*s)[p.state]; seen {
		return true
	}
	if *s == nil {
		*s = make(states)
	}
	(*s)[p.state] = struct{}{}
	return false
}
