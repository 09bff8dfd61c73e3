package explore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// production is a drawn program with drawn faults, for a real loop or for a test.
type production struct {
	*rand.Rand
	real bool
	left int

	calls   int // calls so far, for their names
	balance int
	added   int
	door    *syncx.Mutex
	runs    []flow.Plan[int, int]
	cancels []time.Duration // of each run; 0 for no cancel
}

var errDown = errors.New("the service is down")

// drawProduction draws the program of a seed. In production, calls take their time.
func drawProduction(seed uint64, inProduction bool) *production {
	p := &production{Rand: rand.New(rand.NewPCG(seed, 7)), real: inProduction, door: syncx.NewMutex(1, -1)}
	for range 1 + p.IntN(3) {
		p.left = 3 + p.IntN(8)
		p.runs = append(p.runs, flow.Chain(p.stage(0), p.stage(0)))
		cancel := time.Duration(0)
		if p.IntN(5) == 0 {
			cancel = p.span(4)
		}
		p.cancels = append(p.cancels, cancel)
	}
	return p
}

func (p *production) span(most int) time.Duration {
	return time.Duration(1+p.IntN(1000*most)) * time.Microsecond
}

func (p *production) call() flow.Plan[int, int] {
	takes, fails, hangs := p.span(3), p.IntN(8) == 0, p.IntN(15) == 0
	first := p.IntN(3) == 0 // in production it fails at least the first time
	p.calls++
	if hangs {
		takes = time.Hour
	}
	var called atomic.Bool
	return flow.Named(fmt.Sprint("call ", p.calls), step.Await(func(ctx context.Context, in int) (int, error) {
		failing := !called.Swap(true) && first || fails
		if p.real {
			select {
			case <-time.After(takes):
			case <-ctx.Done():
				return 0, context.Cause(ctx)
			}
			if failing {
				return 0, errDown
			}
		}
		return in + 1, nil
	}))
}

// update changes the balance, with a call between reading and writing it.
func (p *production) update() flow.Plan[int, int] {
	read := step.Map(func(int) int { return p.balance })
	write := step.Map(func(seen int) int {
		p.balance = seen
		p.added++
		return seen
	})
	return flow.Chain(read, p.call(), write)
}

func (p *production) stage(depth int) flow.Plan[int, int] {
	p.left--
	if depth > 3 || p.left < 0 {
		return p.call()
	}
	in := func() flow.Plan[int, int] { return p.stage(depth + 1) }
	sum := step.Map(func(all []int) int { return len(all) })
	switch p.IntN(14) {
	case 0, 1:
		return p.update()
	case 2:
		return flow.Then(flow.Par(in(), in(), in()), sum)
	case 3:
		return flow.Then(flow.Par(p.update(), p.update()), sum)
	case 4:
		return flow.Race(in(), in())
	case 5:
		return flow.First(in(), in(), in())
	case 6:
		return retry.Of(retry.Policy{Tries: 3, Pause: p.span(2), Factor: 2, Jitter: 0.5}, in())
	case 7:
		return flow.Timeout(p.span(6), in())
	case 8:
		return flow.Catch(in(), func(_ step.Scope, err error) step.Next[int] {
			if errors.Is(err, fault.Timeout) {
				return step.Fail[int](err)
			}
			return step.Succeed(0)
		})
	case 9:
		return syncx.Sync(p.door, in())
	case 10:
		return flow.Then(step.Delay[int](p.span(3)), in())
	case 11:
		return loopx.Repeat(2, flow.Then(step.Map(func(i loopx.Iteration[int]) int { return i.Carry }), in()))
	case 12:
		return flow.Then(step.Map(func(n int) []int { return []int{n, n + 1, n + 2} }), flow.Then(flow.ParEach(2, in()), sum))
	default:
		return flow.Chain(in(), in())
	}
}

// verdict returns the error of a test of the program.
func (p *production) verdict(results []error) error {
	for i, err := range results {
		if err != nil {
			return fmt.Errorf("run %d: %w", i+1, err)
		}
	}
	if p.balance != p.added {
		return fmt.Errorf("the balance is %d after %d payments", p.balance, p.added)
	}
	return nil
}
