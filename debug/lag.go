package debug

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/tool"
)

// lagLimit is how long the page of loops waits for all of them.
const lagLimit = 250 * time.Millisecond

const noAnswer = "no answer within 250ms"

// answer is what a loop said to a probe.
type answer struct {
	lag     time.Duration
	problem string
}

// probe asks loops for a sign of life.
type probe struct {
	mu      sync.Mutex
	answers []answer
	missing int
	done    chan struct{} // gets a value when nothing is missing
}

// awaited waits for a probe to be complete.
var awaited = flow.Timeout(lagLimit, flow.AwaitChan(func(_ context.Context, p *probe) <-chan struct{} { return p.done }))

// measure lets each of the loops run a callback, and gives how long that took, in
// the time of the loop.
func measure(loops []*loop) []answer {
	none := answer{problem: noAnswer}
	p := &probe{answers: slices.Repeat([]answer{none}, len(loops)), missing: len(loops), done: make(chan struct{}, 1)}
	asked := make([]tool.Handle, len(loops))
	for i, l := range loops {
		host := l.Host()
		began := host.Now()
		var err error
		asked[i], err = l.Immediate(func() { p.answer(i, answer{lag: host.Now() - began}) })
		if err != nil {
			p.answer(i, answer{problem: refusalOf(err)})
		}
	}
	if len(loops) > 0 {
		// Not the context of the request: it may be one that a Handler observes.
		_, _ = flow.Run(context.Background(), awaited, p) // an answer that is missing says so
	}
	for i, l := range loops {
		l.Cancel(asked[i]) // or a stuck loop would collect callbacks
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.answers)
}

func (p *probe) answer(i int, a answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers[i] = a
	if p.missing--; p.missing == 0 {
		p.done <- struct{}{}
	}
}
