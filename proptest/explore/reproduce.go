package explore

import (
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/observe"
)

// Reproduction is the result of [Follow].
type Reproduction struct {
	// Departed is nil if all events came as recorded. Otherwise it wraps [ErrDeparted], and its text names the event that didn't
	// come, or it wraps [ErrIncident].
	Departed error
	// Err is what the body returned in the trial with all events, or in the one that came farthest.
	Err error
	// Moments are the events of that trial, in their order.
	Moments []Moment
	// Answers are what the runs got from outside. To see what would have happened with others, change one and pass them to
	// [Trial.Answers].
	Answers []Answer
	// Short is a failure of the body with these answers, under a schedule of at most three delays and without the incident. It is
	// nil if none was found, or if nothing has failed. Slow reports whether its trial calls [Trial.Slow].
	Short *Failure
	Slow  bool
	// Fakes lists the steps whose functions the test has called, each once, with its site. A recording doesn't have the results
	// of these functions, so they must be fakes.
	Fakes []string

	events int
	gaps   []string
	titles []string // of the runs that have failed
}

// Moment is an event of a run that is reproduced.
type Moment struct {
	At    time.Duration // since the first run was started
	Run   int           // the number of the run in the incident, from 1
	Event string        // in words, with the step and the error
	State string        // what the function given to [Trial.Look] returned right after the event
}

// Look sets the function that returns [Moment].State, a text about what the test wants to see. Only [Follow] and [Reproduce]
// call this function. They call it on the goroutine of the test, also between two steps of one turn.
func (x *Trial) Look(state func() string) {
	if x.guide != nil {
		x.guide.look = state
	}
}

// Follow runs body on a virtual loop, and tries to make all events of the incident come in the recorded order, at their times. It
// finds the order by trials. So body must make everything that it needs anew, start the runs by [Start], in the order of the
// incident, and drive the loop by [Trial.Run] or [Trial.Drive].
//
// Events from outside come when they are recorded. Follow calls the functions of step.Await as [Trial.Answers] describes, and
// completes their steps with the results of the functions, or with the recorded errors. It cancels runs of Start as recorded. It
// does an [Action] where neither an answer nor the loop leads to the next event. Random pauses take as long as recorded.
//
// The events of one run must come in the recorded order. Events of different runs may come in another order, because one virtual
// loop can't always have the order of several loops. Secondary errors may differ: the error of a call that had failed when its step
// was left may be missing.
//
// Follow doesn't compare the results of steps, which no recording has, nor the events observe.Progress. It doesn't notice a
// timer that is shorter than before, because a loop that is held up comes to its timers late.
func Follow(in Incident, body Body) *Reproduction {
	r := &Reproduction{Departed: in.err}
	if len(in.runs) == 0 && in.err == nil {
		r.Departed = in.refused("it has no run").err
	}
	if r.Departed != nil {
		return r
	}
	g := newGuide(in)
	far, err := g.search(body)
	r.gaps, r.titles = in.gaps(), in.titles()
	for _, way := range in.looser(far) {
		if far == nil {
			break
		}
		other := newGuide(in)
		other.loose, other.alone = way.loose, way.alone
		if o, e := other.search(body); o == nil {
			g, err, far = other, e, nil
			r.gaps = append(r.gaps, way.gap)
		}
	}
	r.Err, r.events, r.Moments, r.Fakes = err, len(g.merged), g.moments, g.fakes()
	if far != nil {
		r.Departed = g.departed(far)
	}
	r.shorten(g, body)
	if r.Short == nil {
		r.Answers = slices.DeleteFunc(g.answers(timing{}), func(a Answer) bool { return !g.hasCalled(a) })
	}
	return r
}

// looser is a way to follow an incident with fewer comparisons.
type looser struct {
	loose, alone bool
	gap          string
}

// looser returns looser ways to follow the incident, for a search that has departed from it at far.
func (in Incident) looser(far []departure) (ways []looser) {
	if slices.ContainsFunc(far, func(d departure) bool { return d.beside }) {
		ways = append(ways, looser{false, true, "; errors beside those that have decided are other ones"})
	}
	if len(in.runs) > 1 {
		ways = append(ways, looser{true, false, "; the order of events of different runs is another one"})
	}
	return ways
}

// timing is a choice of when answers come.
type timing struct {
	soonest bool // answers come as early as they may have come, not when their steps went on
	apiece  bool // times count from the beginning of the answer's step, not from the start of the first run
}

var timings = []timing{{false, false}, {true, false}, {false, true}, {true, true}}

// answers returns the recorded answers, with the numbers that the runs have in trials.
//
// If the loop was held up, an answer may have come long before its step went on. It came at the earliest at the time of the event
// before the one with which the step went on. A cancel came at the earliest together with the last answer before it.
//
// A loop that is held up also sets its timers late, but a trial sets them in time. So if answers count from the start of the first
// run, a timer of a trial may fire before an answer that came before it in the recording.
func (g *guide) answers(when timing) (all []Answer) {
	before := map[position]time.Duration{}
	for i, p := range g.merged[1:] {
		before[p] = g.event(g.merged[i]).at
	}
	for i, r := range g.incident.runs {
		all = append(all, r.answers(g.liveOf(i)+1, func(from, at int) time.Duration {
			came := r.events[at].at
			if when.soonest {
				if r.events[at].kind == observe.Cancelled {
					for at > 0 && r.events[at].kind != observe.Resumed {
						at--
					}
				}
				came = before[position{i, at}]
			}
			if when.apiece {
				came = max(came-r.events[from].at, 0)
			}
			return came
		})...)
	}
	return all
}

// liveOf returns the number, from 0, of the live run that is bound to a recorded run, or the number of the recorded run if no live
// run is.
func (g *guide) liveOf(recorded int) int {
	for live, run := range g.bound {
		if run == recorded {
			return live
		}
	}
	return recorded
}

// hasCalled reports whether a is a cancel, or the answer to a function that was called in the trial.
func (g *guide) hasCalled(a Answer) bool {
	return a.Path == "" || slices.ContainsFunc(g.calls, func(c *call) bool { return c.run+1 == a.Run && c.work.Path == a.Path })
}
