package frame

import (
	"math"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// The timer of a limit is armed at the end of the turn of the run in which the limit is set, and fires later than asked
// by at most the length of the turn (C3). A limit that is taken back earlier needs no timer and no loop. A limit that is set
// between two turns is armed at once.
//
// The timer is armed earlier if the turn is a long one, or if somebody asks for the deadline or for the loop. Another timer may
// be armed on that loop: of two timers with the same deadline, the one that was set first must fire first (T1).
//
// On loops of other packages, such as those of tooltest, and in a run that was begun by Wake, limits are armed at once.

// never is the end of the limit of a step that has no limit.
const never = time.Duration(math.MaxInt64)

// moment returns now+d, or never if that overflows.
func moment(now, d time.Duration) time.Duration {
	if now > 0 {
		d = min(d, never-now)
	}
	return now + d
}

// SetTimeout sets the limit of the current step, in place of a former one (C4). It reports false for a limit that isn't
// positive or when the loop refuses the timer at once; see misuse for what else happens then. If the loop refuses a timer
// that is armed later, the step has no limit, and the refusal is reported to the loop.
func (f *Frame) SetTimeout(d time.Duration) bool {
	r := f.Run()
	if d <= 0 {
		r.misuse(invalid(f, "a timeout must be positive, got "+d.String()))
		return false
	}
	g := f.equip()
	g.disarm()
	g.limit = d
	if !r.eager && r.inTurn {
		r.postpone(g)
		return true
	}
	r.needLoop()
	if err := g.arm(r); err != nil {
		r.misuse(err)
		return false
	}
	return true
}

// young links a limit that isn't armed yet, or a stopwatch, with the others of its run.
type young struct {
	newer, older *resources
}

func (r *Run) postpone(g *resources) {
	g.young, g.isYoung = young{older: r.young}, true
	if r.young != nil {
		r.young.young.newer = g
	}
	r.young = g
}

// forgo removes g, which is young, from the list Run.young.
func (r *Run) forgo(g *resources) {
	y := g.young
	g.young, g.isYoung = young{}, false
	if y.newer == nil {
		r.young = y.older
	} else {
		y.newer.young.older = y.older
	}
	if y.older != nil {
		y.older.young.newer = y.newer
	}
}

// armLimits arms the young limits, in the order in which they were set. Stopwatches begin, and stay in the list until
// the turn ends.
func (r *Run) armLimits() {
	g := r.young
	for g.young.older != nil {
		g = g.young.older
	}
	var refused []error
	for g != nil {
		next := g.young.newer
		if g.limit == 0 {
			g.begin(r)
		} else {
			r.forgo(g)
			if err := g.arm(r); err != nil {
				refused = append(refused, err)
			}
		}
		g = next
	}
	r.complain(refused) // last: it may end the goroutine
}

// arm arms the timer of g for the limit that is set. The run must have a loop. If the loop refuses the timer, the limit is
// taken back.
func (g *resources) arm(r *Run) error {
	h, ends, err := r.loop.Arm(g.limit, g.fire)
	if err != nil {
		g.limit, g.alarm = 0, false
		return err
	}
	if g.timer = tool.Handle(h); !g.alarm { // contexts under the step don't show an alarm as their deadline (C8)
		g.ends = ends
	}
	return nil
}

// stopTimer records that no timer is set, and returns the error of an eviction, if there was one.
func (g *resources) stopTimer() (eviction error) {
	g.limit, g.alarm = 0, false
	if g.extras != nil {
		eviction, g.extras.eviction = g.extras.eviction, nil
	}
	return eviction
}

func (g *resources) disarm() {
	switch {
	case g.limit == 0:
		return
	case g.isYoung:
		g.frame.Run().forgo(g)
	case g.lapsed != 0:
		g.frame.Run().due.forget(g)
	default:
		g.frame.Run().tool.Cancel(g.timer)
	}
	_ = g.stopTimer()
}

// expire is the callback of the timer. It takes a turn of the run, which handles the timer.
func (g *resources) expire() {
	if g.limit == 0 {
		return
	}
	r := g.frame.Run()
	r.putOff().add(g)
	r.Turn()
}
