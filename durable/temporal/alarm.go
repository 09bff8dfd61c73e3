package temporal

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// alarm is the one timer of the workflow. It is set to the first timer of the loop.
type alarm struct {
	future workflow.Future // nil while the alarm isn't armed
	at     time.Duration   // when the alarm rings, by the loop's clock
	cancel workflow.CancelFunc
}

// arm sets the timer of the workflow to the loop's first timer. It returns true if the loop's first timer is due already.
func (x *instance) arm() (now bool) {
	wait, armed := x.loop.Next()
	a := &x.alarm
	switch {
	case armed && wait <= 0:
		return true
	case !armed:
		a.stop()
		return false
	case a.future != nil && a.at == x.at+wait:
		return false
	}
	a.stop()
	ctx, cancel := workflow.WithCancel(x.ctx)
	a.future, a.at, a.cancel = workflow.NewTimer(ctx, wait), x.at+wait, cancel
	return false
}

func (a *alarm) ready() bool { return a.future != nil && a.future.IsReady() }

func (a *alarm) stop() {
	if a.future != nil {
		a.cancel()
		a.future = nil
	}
}

// passed returns the time for which the timer was set, or 0 if it hasn't fired. The clock of the loop is moved at least to that
// time, because the clock of the workflow may lag behind if the clocks of servers differ.
func (a *alarm) passed() time.Duration {
	if !a.ready() {
		return 0
	}
	a.future = nil
	return a.at
}
