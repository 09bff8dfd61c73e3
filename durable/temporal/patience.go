package temporal

import (
	"errors"
	"fmt"
	"sync"
	"time"

	common "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/fault"
)

// patience limits how long the coroutine of the workflow waits for turns of the loop. The SDK alone would report a deadlock after a
// second without a pause, and fail the task of the workflow again and again.
type patience struct {
	timer *time.Timer // used again for each wait
	limit time.Duration

	mu    sync.Mutex
	where fmt.Stringer // the step that began last; nil if none has begun
}

// unnoticed is how long turns may take before deadlock detection of the SDK has to be paused.
const unnoticed = 500 * time.Millisecond

// newPatience returns the patience for turns of a workflow. If a task takes longer than its timeout, the server gives it to another
// worker, which would take as long, so a turn has to end earlier.
func newPatience(of *workflow.Info) *patience {
	timeout := of.WorkflowTaskTimeout
	if of.Namespace == testNamespace { // there is no server, and the timeout is a second
		timeout = 10 * time.Second
	}
	p := &patience{timer: time.NewTimer(time.Hour), limit: timeout * 4 / 5}
	p.timer.Stop()
	return p
}

// at is called when a step begins: see tool.WithAt.
func (p *patience) at(where fmt.Stringer) {
	p.mu.Lock()
	p.where = where
	p.mu.Unlock()
}

// wait returns the value that comes from turned, or sets late if none has come in time.
func (p *patience) wait(ctx workflow.Context, turned <-chan bool) (left, late bool) {
	p.timer.Reset(unnoticed)
	select {
	case left = <-turned:
		p.timer.Stop()
		return left, false
	case <-p.timer.C:
	}
	w := &waiting{turned: turned, tick: p.limit / 16}
	// Deadlock detection can be turned off for a converter.
	aware, _ := workflow.DataConverterWithoutDeadlockDetection(w).(workflow.ContextAware)
	_, err := aware.WithWorkflowContext(ctx).ToPayload(nil)
	return w.left, err != nil
}

// waiting is a converter that waits for turned.
type waiting struct {
	converter.DataConverter

	turned <-chan bool
	tick   time.Duration
	left   bool
}

var errLate = errors.New("nothing has come in time")

// ToPayload implements converter.DataConverter. It counts ticks, not time: if the process is stopped meanwhile, that counts as one
// tick.
func (w *waiting) ToPayload(any) (_ *common.Payload, err error) {
	ticks := time.NewTicker(w.tick)
	defer ticks.Stop()
	for range 16 {
		select {
		case w.left = <-w.turned:
			return nil, nil //nolint:nilnil // nobody asks for the payload
		case <-ticks.C:
		}
	}
	return nil, errLate
}

func (p *patience) exceeded() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fault.New(fault.InternalError, fmt.Sprintf("steps have executed for more than %v without waiting, the last one is %v: "+
		"put code that takes so long into the body of a step.Await. Nothing was undone", p.limit, p.where))
}
