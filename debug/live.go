package debug

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/observe"
)

// maxSteps bounds the live steps of a run that are listed.
const maxSteps = 1000

type state string

const (
	running   state = "running"
	suspended state = "suspended"
	queued    state = "queued"
)

func stateIndex(s state) int {
	switch s {
	case suspended:
		return 1
	case queued:
		return 2
	default:
		return 0
	}
}

// liveStep is a listed live step. Times count from the start of the run.
type liveStep struct {
	life

	state state
	since time.Duration // when state began
	site  fault.Site    // set once the step has waited
	stats *stepStats
	entry *entry // the step's entry at a guard that is shown, or nil

	// If the sub-steps are attempts of a retry: the number of the last attempt, how many there may be, and the error of the
	// last attempt that failed.
	tried, tries int
	lastError    string

	holder     *liveStep // nil if no listed step holds this one
	holds      int       // how many listed steps this one holds directly
	ended      bool      // the step isn't listed any more; steps that linger in it may be
	prev, next *liveStep // list of the steps that hold no other step
}

// steps holds the live steps of a run. The run stands at the steps that hold no other step. These are in a list, so that pages
// needn't search for them.
type steps struct {
	byPath      map[string]*liveStep
	count       int // live steps; at most maxSteps of them are in byPath
	first, last *liveStep
	standing    [3]int    // how many steps are in the list, by stateIndex
	live        []int32   // how many steps are in byPath, by stepStats.index
	unused      *liveStep // memory for the next step
}

// begin lists a step and returns it, or nil if there are too many.
func (s *steps) begin(l life, stats *stepStats) *liveStep {
	s.count++
	if len(s.byPath) >= maxSteps {
		return nil
	}
	if s.byPath == nil {
		s.byPath = make(map[string]*liveStep)
	}
	if old := s.byPath[l.path]; old != nil {
		s.drop(old) // the middle of a very long path is left out, so paths may be equal
		if old.entry != nil {
			old.entry.leave()
		}
	}
	n := s.unused
	if n == nil {
		n = new(liveStep)
	}
	s.unused = nil
	*n = liveStep{life: l, state: running, since: l.from, stats: stats}
	for path := holder(l.path); path != "" && n.holder == nil; path = holder(path) {
		n.holder = s.byPath[path]
	}
	if h := n.holder; h != nil {
		if h.holds == 0 {
			s.unlink(h)
		}
		h.holds++
		h.held = true
	}
	s.byPath[l.path] = n
	s.link(n)
	for len(s.live) <= stats.index {
		s.live = append(s.live, 0)
	}
	s.live[stats.index]++
	return n
}

// end removes a step from the list and returns it, or nil if it isn't listed. The step is valid until the next begin.
func (s *steps) end(path string) *liveStep {
	s.count--
	n := s.byPath[path]
	if n == nil {
		return nil
	}
	s.drop(n)
	if !n.held { // otherwise steps that linger in it may refer to it
		s.unused = n
	}
	return n
}

func (s *steps) drop(n *liveStep) {
	delete(s.byPath, n.path)
	s.live[n.stats.index]--
	n.ended = true
	if n.holds == 0 {
		s.unlink(n)
	}
	if h := n.holder; h != nil {
		if h.holds--; h.holds == 0 && !h.ended {
			s.link(h)
		}
	}
}

func (s *steps) link(n *liveStep) {
	n.prev, n.next = s.last, nil
	if s.last == nil {
		s.first = n
	} else {
		s.last.next = n
	}
	s.last = n
	s.standing[stateIndex(n.state)]++
}

func (s *steps) unlink(n *liveStep) {
	if n.prev == nil {
		s.first = n.next
	} else {
		n.prev.next = n.next
	}
	if n.next == nil {
		s.last = n.prev
	} else {
		n.next.prev = n.prev
	}
	s.standing[stateIndex(n.state)]--
}

// turn changes the state of a step and returns it, or nil if it isn't listed.
func (s *steps) turn(path string, to state, at time.Duration, site fault.Site) *liveStep {
	n := s.byPath[path]
	if n == nil {
		return nil
	}
	if n.holds == 0 {
		s.standing[stateIndex(n.state)]--
		s.standing[stateIndex(to)]++
	}
	n.turn(n.state, to, at)
	n.state, n.since = to, at
	if site != (fault.Site{}) {
		n.site = site
	}
	return n
}

// nameAround returns the name of the innermost named step that holds n, or "" if there is none or n has a name itself.
func (n *liveStep) nameAround() string {
	if n.label != n.kind {
		return ""
	}
	for h := n.holder; h != nil; h = h.holder {
		if h.label != h.kind {
			return h.label
		}
	}
	return ""
}

// siteOf returns where the step of e was built if the step begins to wait. For other events it looks up nothing.
func siteOf(e observe.Event) fault.Site {
	if e.Kind == observe.Suspended || e.Kind == observe.Queued {
		return e.Site()
	}
	return fault.Site{}
}
