package tool

import (
	"fmt"
	"time"
)

const (
	defaultSteps = 100
	defaultTime  = time.Millisecond
)

// TurnLimits bounds how much a run may do within one turn of its loop before it lets others work. The zero
// TurnLimits stands for the defaults; [NewHost] fills them in.
type TurnLimits struct {
	// Steps is about how many steps a run may take before it goes to the back of the queue.
	// Zero or less stands for 100.
	Steps int

	// Time is how long a run may take before it goes to the back of the queue. It is checked
	// between steps, but not after each one, so a run may take longer. Zero or less stands for 1 ms.
	Time time.Duration

	// Pick chooses which of n ready fibers of a run goes next: n is at least 2, the result is in [0,
	// n). Nil means first come, first served. Tests use it to draw the schedule. It is called on the
	// loop.
	Pick func(n int) int

	// At, if not nil, is called on the loop before each step, with the place of that step. A [Watchdog]
	// and [WithAt] set it. Another goroutine may call where.String while the step runs.
	At func(where fmt.Stringer)
}

func (t TurnLimits) withDefaults() TurnLimits {
	if t.Steps <= 0 {
		t.Steps = defaultSteps
	}
	if t.Time <= 0 {
		t.Time = defaultTime
	}
	return t
}
