package debug

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/tool"
)

// lagLimit is how long the page of loops waits for the answers of the loops.
const lagLimit = 250 * time.Millisecond

const noAnswer = "no answer within 250ms"

type answer struct {
	lag     time.Duration
	problem string
}

// probe measures the lag of loops by a callback on each.
type probe struct {
	mu      sync.Mutex
	answers []answer
	missing int
	done    chan struct{} // gets a value when all loops have answered
}

var awaited = flow.Timeout(lagLimit, flow.AwaitChan(func(_ context.Context, p *probe) <-chan struct{} { return p.done }))

// measure queues a callback on each loop. For each loop it returns how long the callback has waited, by the clock of the loop, or
// why the callback didn't run within lagLimit.
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
		_, _ = flow.Run(context.Background(), awaited, p) // p has no answer of a loop that is late
	}
	for i, l := range loops {
		l.Cancel(asked[i]) // callbacks must not pile up on a stuck loop
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
