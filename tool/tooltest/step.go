package tooltest

import (
	"math"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

const forever = time.Duration(math.MaxInt64)

// Step runs one callback, and reports whether there was one. If nothing is ready, time first moves to the
// earliest deadline. Called by a callback of this loop it does nothing and reports false.
func (l *Loop) Step() bool { return l.stepBy(forever) }

// stepBy is Step, but moves time no further than target.
func (l *Loop) stepBy(target time.Duration) bool {
	if !l.seat.Take() {
		return false
	}
	defer l.seat.Leave()
	fn, part := l.take(target)
	if fn == nil {
		return false
	}
	before := (*parted)(l).Enter(part)
	defer (*parted)(l).Enter(before)
	l.host.Call(fn)
	return true
}

// Run steps until the loop is idle, and returns how many callbacks ran. If more would run than the limit
// allows, it stops and reports ErrLimit, see [Loop.Errors].
func (l *Loop) Run() int {
	ran := 0
	for l.Pending() > 0 {
		if !l.within(ran) || !l.Step() {
			break
		}
		ran++
	}
	return ran
}

// RunUntil steps until cond, which it calls before each step, returns true. It returns false if the loop becomes idle
// before that, or if more callbacks would run than the limit allows; then it also reports ErrLimit.
func (l *Loop) RunUntil(cond func() bool) bool {
	for ran := 0; !cond(); ran++ {
		if l.Pending() == 0 || !l.within(ran) || !l.Step() {
			return cond()
		}
	}
	return true
}

// Advance moves time forward by d, running what is ready and what comes due on the way, and returns how many callbacks
// ran. A d below zero counts as zero. If more would run than the limit allows, Advance stops, leaves the time as it is then,
// and reports ErrLimit.
func (l *Loop) Advance(d time.Duration) int {
	ran := 0
	target := later(l.Now(), max(d, 0))
	for l.readyBy(target) {
		if !l.within(ran) || !l.stepBy(target) {
			return ran
		}
		ran++
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = max(l.now, target)
	return ran
}

// Ahead returns the time until the earliest deadline of a timer. It returns 0 if no timer waits. It also returns 0 if no
// immediate is ready, because Step then moves the time itself.
func (l *Loop) Ahead() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	deadline, armed := l.queue.Deadline()
	if !armed || l.queue.Ready() == 0 {
		return 0
	}
	return max(deadline-l.now, 0)
}

// Lag moves time forward by d and runs nothing, as if a callback had taken that long: timers come due while other
// callbacks are still ready. A d below zero counts as zero.
func (l *Loop) Lag(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = later(l.now, max(d, 0))
}

// within reports whether another callback may run after ran of them. If none may, it notes ErrLimit.
func (l *Loop) within(ran int) bool {
	if ran < l.limit {
		return true
	}
	l.note(ErrLimit)
	return false
}

func (l *Loop) readyBy(target time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	deadline, armed := l.queue.Deadline()
	return l.queue.Ready() > 0 || armed && deadline <= target
}

// later returns now+d, or forever if that overflows.
func later(now, d time.Duration) time.Duration { return now + min(d, forever-now) }

// take removes the callback that goes next, moving the time if need be, but not beyond target; fn is nil if there is
// none. Callbacks belong to parts only if a chooser chooses among them.
func (l *Loop) take(target time.Duration) (fn func(), part int) {
	if l.choose == nil {
		return l.takePlain(target), 0
	}
	for found := true; fn == nil && found; {
		fn, part, found = l.takeChosen(target)
	}
	return fn, part
}

func (l *Loop) takePlain(target time.Duration) func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if fn := l.takeOfTurn(); fn != nil {
		return fn
	}
	l.mark = l.queue.Mark() // the next turn begins
	l.catchUp(target)
	return l.takeOfTurn()
}

// takeOfTurn takes the next callback of the current turn, in the order of a tool.Loop; nil if none is left.
func (l *Loop) takeOfTurn() func() {
	if fn := l.queue.Pop(l.mark); fn != nil {
		return fn
	}
	return l.queue.PopDue(l.now, l.mark)
}

// takeChosen asks the chooser without the lock: the chooser belongs to the test and may use the loop. found is false if
// there is no callback; fn is nil as well if the chosen one was cancelled meanwhile.
func (l *Loop) takeChosen(target time.Duration) (fn func(), part int, found bool) {
	l.mu.Lock()
	l.catchUp(target)
	l.choices = l.queue.Choices(l.choices[:0], l.now, l.parts.late)
	choices := l.choices
	l.asking = len(choices) > 1
	l.mu.Unlock()
	if len(choices) == 0 {
		return nil, 0, false
	}
	chosen := 0
	if len(choices) > 1 {
		chosen = l.pick(len(choices))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asking = false
	key := choices[chosen]
	return l.queue.Take(key), l.parts.taken(tool.Handle(key)), true
}

func (l *Loop) catchUp(target time.Duration) {
	if deadline, armed := l.queue.Deadline(); armed && deadline <= target && l.queue.Ready() == 0 {
		l.now = max(l.now, deadline)
	}
}
