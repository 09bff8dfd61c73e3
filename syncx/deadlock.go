package syncx

import (
	"fmt"
	"strings"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/guard"
)

// Deadlock is the code of the error of a step that would wait for ever, because flows wait for
// each other's mutexes. The error wraps a [*Cycle], which lists who waits for whom.
//
// A Mutex, an Adaptive, and a Limiter's bound on concurrent flows are watched. A flow can't go on if it waits for one and no flow
// inside can go on, or if a branch that it has started can't go on. A race, such as flow.First, can't go on if no branch that
// lives or may yet begin can go on. If that comes about because a branch ends, another branch fails with Deadlock. If the error is
// recovered in that branch, the race may succeed; branches that still can't go on fail as well. With weights, a flow that waits
// can't go on if the flows inside that can't go on leave too few places for it, or for a flow before it in the queue.
//
// The error is raised even if a timeout, a cancel or the error of another branch might break the cycle later; to rely on one of
// those, use [Mutex.AllowCycles]. Waits for anything else are assumed to end some day: for a Throttle, a guard of your own, a
// run that a step has started without flow.On, or a load of package share, which only finds loads that wait for each other.
// Don't ask for a shared load inside of a section that the load enters. A stream is also assumed to end some day, even if
// nothing in it can go on, so a cycle through a stream isn't found. Put a flow.Timeout around it.
//
// A flow that enters at once causes no search for a deadlock.
//
//spec:ftn12 §1.11.5, which leaves it optional
const Deadlock fault.Code = "Deadlock"

// Cycle is a ring of flows that wait for each other.
type Cycle struct {
	// Waits are the links, in the order of the ring. The first is the one that
	// was refused.
	Waits []Wait
}

// Wait is one link of a [Cycle]: a step that waits for a guard, and a second step, which is inside of the guard or ahead in
// its queue. The flow of the second step, or a branch inside of it, waits in the next link; after the last link comes the
// first.
type Wait struct {
	// Guard is the kind of the guard and where it was made: "mutex (bank.go:12)".
	Guard string
	// Waiting is the step that waits. Its run is number Run among the runs of
	// the ring; that of the first link is 0.
	Waiting fault.Frame
	Run     int
	// Holding is the step that is inside of the guard, of run HoldingRun. If Queued is set it isn't inside, but before Waiting
	// in the queue, and waits for more places.
	Holding    fault.Frame
	HoldingRun int
	Queued     bool
}

// Error describes the whole ring.
func (c *Cycle) Error() string {
	var b strings.Builder
	for i, w := range c.Waits {
		if i > 0 {
			b.WriteString("; ")
		}
		why := "held by"
		if w.Queued {
			why = "behind"
		}
		fmt.Fprintf(&b, "%s waits for %s, %s %s",
			place(w.Waiting, w.Run), w.Guard, why, place(w.Holding, w.HoldingRun))
	}
	return b.String()
}

// place returns where a step stands: "run 1 step 0/par.1/2 pay (bank.go:31)".
func place(m fault.Frame, run int) string {
	name := m.Name
	if name == "" {
		name = m.Kind
	}
	text := fmt.Sprintf("run %d step %s %s", run, m.Path, name)
	if site := m.Site.String(); site != "" {
		text += " (" + site + ")"
	}
	return text
}

// AllowCycles makes m trust its users: a flow then waits even if that closes a cycle, which has to be broken by a timeout, a
// cancel or the error of another branch. It returns m. Call it before m is used.
func (m *Mutex) AllowCycles() *Mutex {
	m.trusting = true
	return m
}

// AllowCycles is [Mutex.AllowCycles] for the bound on concurrent flows.
func (l *Limiter) AllowCycles() *Limiter {
	l.mutex.trusting = true
	return l
}

func deadlock(blockages []guard.Blockage) error {
	c := &Cycle{Waits: make([]Wait, len(blockages))}
	for i, b := range blockages {
		c.Waits[i] = Wait{
			Guard:   b.Lock.String(),
			Waiting: b.Waits, Run: b.WaitsRun,
			Holding: b.Holds, HoldingRun: b.HoldsRun, Queued: b.Queued,
		}
	}
	return fault.Wrap(Deadlock, "flows wait for each other", c)
}
