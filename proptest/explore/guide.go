package explore

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// guide leads trials through an incident: it compares the events of the runs with the recorded ones, and tries answers to the
// trial's questions, the most promising first.
type guide struct {
	incident Incident
	merged   []position // the events of all runs, in their order
	loose    bool       // the order of events of different runs doesn't count
	alone    bool       // secondary errors don't count
	path     []decision // the decisions of the trial
	given    int        // how many of them were fixed before the trial
	open     open
	beside   [][]error        // the secondary errors at the end of each recorded run
	first    map[uint64]event // by the key of a callback: the first event in it, in the trials so far

	// These fields belong to one trial:
	loop     *tooltest.Loop
	asked    int
	bound    map[int]int // the recorded run, by the number of the live one
	next     []int       // index of the next event of each recorded run
	front    int         // index of the next event in merged
	matched  int
	lead     bool   // the current callback has had no event yet
	key      uint64 // key of the current callback; 0 if it isn't known
	off      *departure
	strange  []string // names of runs that aren't in the incident
	pending  []*call
	answered map[position]bool // the events with which steps go on whose calls were answered
	calls    []*call
	cancels  map[int]func(error) bool
	look     func() string // nil until the test sets it
	moments  []Moment
}

// position is the place of an event in an incident.
type position struct{ run, at int }

// departure describes how a trial departs from the incident.
type departure struct {
	matched int
	wanted  position
	instead string // the event that came; "" if nothing more happened
	beside  bool   // only secondary errors differ
}

func newGuide(in Incident) *guide {
	g := &guide{incident: in, first: map[uint64]event{}}
	for run, r := range in.runs {
		g.beside = append(g.beside, r.beside())
		for at := range r.events {
			g.merged = append(g.merged, position{run, at})
		}
	}
	slices.SortStableFunc(g.merged, func(a, b position) int {
		x, y := g.event(a), g.event(b)
		switch {
		case a.run == b.run:
			return a.at - b.at
		case x.order != 0 && y.order != 0:
			return x.order - y.order
		}
		return cmp.Compare(x.at, y.at)
	})
	return g
}

func (g *guide) event(p position) event { return g.incident.runs[p.run].events[p.at] }

func (g *guide) begin() {
	n := len(g.incident.runs)
	g.asked, g.front, g.matched, g.lead, g.key, g.off = 0, 0, 0, false, 0, nil
	g.bound, g.cancels = map[int]int{}, map[int]func(error) bool{}
	g.next, g.answered = make([]int, n), map[position]bool{}
	g.look, g.strange, g.pending, g.calls, g.moments = nil, nil, nil, nil, nil
}

// over reports whether all events have come.
func (g *guide) over() bool { return g.front == len(g.merged) }

func (g *guide) halted() bool { return g.off != nil }

// elapse moves the time of the loop to that of the next event.
func (g *guide) elapse() {
	if d := g.wanted().at - g.loop.Now(); d > 0 {
		g.loop.Lag(d)
	}
}

// wanted returns the next event. g must not be over.
func (g *guide) wanted() event { return g.event(g.merged[g.front]) }

// watch binds a live run to the first unbound recorded run of the same plan, or of an unknown plan, and returns its watch. It returns
// nil if there is no such run.
func (g *guide) watch(x *Trial, n int, run observe.Run) observe.Watch {
	for i, r := range g.incident.runs {
		if !g.isBound(i) && (r.name == "" || sameName(r.name, run.Name())) {
			g.bound[n] = i
			started := x.loop.Now()
			return func(e observe.Event) {
				if e.Kind != observe.Progress {
					g.tell(i, live(e, started))
				}
			}
		}
	}
	g.strange = append(g.strange, run.Name())
	return nil
}

func (g *guide) isBound(recorded int) bool {
	for _, i := range g.bound {
		if i == recorded {
			return true
		}
	}
	return false
}

// tolerance is how much later than recorded an event may come. The virtual loop sets a timer at the time of a recorded event, but a
// real loop may have set it a little earlier.
const tolerance = 20 * time.Millisecond

// tell compares an event of a live run with the recorded one.
func (g *guide) tell(run int, got event) {
	lead := g.lead
	g.lead = false
	if lead && g.key != 0 {
		g.first[g.key] = got
	}
	if g.halted() {
		return
	}
	r, i := &g.incident.runs[run], g.next[run]
	switch {
	case i == len(r.events), r.lost > 0 && r.events[i].kind == observe.RunEnd && got.kind != observe.RunEnd:
		return // the recording has a gap here
	case r.events[i].is(got) && got.at > r.events[i].at+tolerance:
		g.depart(position{run, i}, fmt.Sprintf("%v, but after %v", got, got.at))
		return
	case g.alone && r.events[i].but(got):
	case !r.events[i].is(got), lead && !g.loose && g.merged[g.front] != position{run, i}:
		g.depart(g.merged[g.front], got.String())
		g.off.beside = r.events[i].but(got)
		return
	}
	g.next[run]++
	g.matched++
	m := Moment{At: got.at, Run: run + 1, Event: got.String()}
	if g.look != nil {
		m.State = g.look()
	}
	g.moments = append(g.moments, m)
	for !g.over() && g.next[g.merged[g.front].run] > g.merged[g.front].at {
		g.front++
	}
	g.interrupt()
}

// interrupt lets answers and cancels come while a callback is executed.
func (g *guide) interrupt() {
	if g.over() || g.halted() {
		return
	}
	g.elapse()
	for g.comes() {
	}
}

// comes decides whether something comes from outside now, lets it come, and reports whether it did.
func (g *guide) comes() bool {
	var ways []func()
	cancel, now := g.cancelled()
	if c, next := g.answerable(); next && c != nil && !now {
		ways = append(ways, func() { g.give(c) })
	} else if cancel != nil {
		ways = append(ways, cancel)
	}
	ways = append(ways, g.quietly(func() {})...)
	lost := len(ways)
	_, others := g.unheard()
	for _, c := range others {
		for _, err := range g.beside[g.bound[c.run]] {
			ways = append(ways, func() { g.lose(c, err) })
		}
	}
	if len(ways) == 0 {
		return false
	}
	i := min(g.decide(inOrder(1+len(ways)), 1+lost), len(ways))
	if i > 0 {
		ways[i-1]()
	}
	return i > 0
}

func (g *guide) depart(wanted position, instead string) {
	g.off = &departure{g.matched, wanted, instead, false}
}

// called records a call of the function of a step.Await, right after the step has begun.
func (g *guide) called(c *call) {
	if run, known := g.bound[c.run]; known && g.next[run] > 0 {
		c.resumes = g.incident.runs[run].resumes(g.next[run] - 1)
	}
	g.calls = append(g.calls, c)
	g.pending = append(g.pending, c)
}

func (g *guide) forget(c *call) {
	g.pending = slices.DeleteFunc(g.pending, func(other *call) bool { return other == c })
}

// leaving returns the calls whose steps are being left; a call must end before its step does. first is the call whose step ends
// with the next event, or nil. others has the rest.
func (g *guide) leaving() (first *call, others []*call) {
	want := g.merged[g.front]
	e := g.event(want)
	for _, c := range g.pending {
		switch run, known := g.bound[c.run]; {
		case !c.left:
		case known && run == want.run && e.kind == observe.StepEnd && e.path == c.work.Path:
			first = c
		default:
			others = append(others, c)
		}
	}
	return first, others
}

// ahead bounds how early an answer may come: at most that many events before its step goes on.
const ahead = 32

// answerable returns the call whose step goes on next, or nil if none does within ahead events. now reports whether
// nothing has to come before: the step goes on with the next event, or the calls of all steps that go on earlier were answered.
func (g *guide) answerable() (c *call, now bool) {
	now = true
	for _, p := range g.merged[g.front:min(g.front+ahead, len(g.merged))] {
		if c := g.callAt(p); c != nil {
			return c, now
		}
		now = now && g.answered[p]
	}
	return nil, false
}

// callAt returns the call whose step goes on with the event at p.
func (g *guide) callAt(p position) *call {
	for _, c := range g.pending {
		if run, known := g.bound[c.run]; known && run == p.run && c.resumes == p.at {
			return c
		}
	}
	return nil
}

// few bounds how many unheard calls of each kind are considered at a time, and how many secondary errors of a run are tried.
const few = 6

// unheard returns the calls whose steps end without going on, in the order of their ends. So no event shows when they were
// answered. left has the calls whose steps are being left, if the steps end within ahead events; others has other calls whose steps
// end within soon events. The moment of such an answer decides in which order the fibers of a run go on.
func (g *guide) unheard() (left, others []*call) {
	for i, p := range g.merged[g.front:min(g.front+ahead, len(g.merged))] {
		e := g.event(p)
		if e.kind != observe.StepEnd {
			continue
		}
		switch c := g.leftAt(p, e.path); {
		case c == nil:
		case c.left && len(left) < few:
			left = append(left, c)
		case !c.left && len(others) < few && i < soon:
			others = append(others, c)
		}
	}
	return left, others
}

// quietly returns ways to answer unheard calls; each calls then after that. Some ways answer calls whose steps are being left: all
// of them, the first, the first two, and so on. The other ways answer the other calls: the first, the first two, and so on up to all.
func (g *guide) quietly(then func()) (ways []func()) {
	left, others := g.unheard()
	give := func(calls []*call) {
		ways = append(ways, func() {
			for _, c := range calls {
				g.give(c)
			}
			then()
		})
	}
	if len(left) > 0 {
		give(left)
	}
	for n := range max(len(left)-1, 0) {
		give(left[:n+1])
	}
	for n := range others {
		give(others[:n+1])
	}
	return ways
}

// lose answers a call with an error that its step doesn't see, because the step is about to be left. The error becomes a secondary
// one.
func (g *guide) lose(c *call, err error) {
	g.forget(c)
	c.done(err)
}

// leftAt returns the call of a step that ends with the event at p without going on.
func (g *guide) leftAt(p position, path string) *call {
	for _, c := range g.pending {
		if run, known := g.bound[c.run]; known && run == p.run && c.resumes == none && c.work.Path == path {
			return c
		}
	}
	return nil
}

// unknown returns the calls whose answers are in a gap of the recording, and the calls of runs that weren't recorded.
func (g *guide) unknown() (all []*call) {
	for _, c := range g.pending {
		run, known := g.bound[c.run]
		if !known {
			all = append(all, c)
			continue
		}
		r, next := &g.incident.runs[run], g.next[run]
		if gap := len(r.events); r.lost > 0 && next >= gap-1 || next == gap && !r.ended() {
			all = append(all, c)
		}
	}
	return all
}

// give answers a call as recorded, or with the result of its function.
func (g *guide) give(c *call) {
	g.forget(c)
	run, known := g.bound[c.run]
	if !known || c.resumes == none || c.left {
		c.done(nil)
		return
	}
	g.answered[position{run, c.resumes}] = true
	c.done(g.incident.runs[run].raised(c.resumes))
}

// soon bounds how early a cancel may come: fewer than soon events before the event that shows the cancel. The bound also holds for
// an unheard answer, and the event that ends its step, unless the step is being left already.
const soon = 8

// cancelled returns a function that makes the next recorded cancel of a run that Start has begun. do is nil if there is no such
// cancel within soon events. now reports whether the cancel is the next event.
func (g *guide) cancelled() (do func(), now bool) {
	for i, p := range g.merged[g.front:] {
		if i == soon {
			break
		}
		if g.event(p).kind != observe.Cancelled {
			continue
		}
		for n, run := range g.bound {
			if cancel := g.cancels[n]; run == p.run && cancel != nil {
				return func() {
					delete(g.cancels, n)
					cancel(g.event(p).err)
				}, i == 0
			}
		}
	}
	return nil, false
}
