package flow_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

var (
	errFirst  = fault.New("First", "the first")
	errSecond = fault.New("Second", "the second")
)

// adds returns a step that adds n.
func adds(n int) step.Step[int, int] {
	return step.Map(func(in int) int { return in + n })
}

// takes returns a step that takes d and gives its input.
func takes(d time.Duration) step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) {
			as.Loop().Deferred(d, func() { done.Succeed(in) })
		})
	})
}

// breaks returns a step that fails with err after d.
func breaks(d time.Duration, err error) step.Step[int, int] {
	return flow.Then(takes(d), step.Func(func(step.Scope, int) (int, error) { return 0, err }))
}

// sum returns s with the sum of its results.
func sum[In any](s step.Step[In, []int]) flow.Plan[In, int] {
	return flow.Then(s, step.Map(func(vs []int) int {
		total := 0
		for _, v := range vs {
			total += v
		}
		return total
	}))
}

// stalls returns a step that is never completed; its hook writes name.
func (b *book) stalls(name string) step.Step[int, int] {
	return step.New(func(as step.Scope, _ int) step.Next[int] {
		as.SetCancel(func() { b.say("%s", name) })
		return step.Wait[int](as, nil)
	})
}

// hears returns s with a handler that writes name and the code, and gives no answer.
func (b *book) hears(name string, s step.Step[int, int]) flow.Plan[int, int] {
	return flow.Catch(s, func(_ step.Scope, err error) step.Next[int] {
		b.say("%s: %s", name, fault.CodeOf(err))
		return step.Unwind[int]()
	})
}

// mends returns s with a handler that writes name and answers v.
func (b *book) mends(name string, v int, s step.Step[int, int]) flow.Plan[int, int] {
	return flow.Catch(s, func(_ step.Scope, err error) step.Next[int] {
		b.say("%s: %s", name, fault.CodeOf(err))
		return step.Succeed(v)
	})
}

// says returns a step that writes line and returns its input.
func (b *book) says(line string) step.Step[int, int] {
	return step.Map(func(in int) int {
		b.say("%s", line)
		return in
	})
}

// lingers returns a step whose goroutine returns d after it was told to stop.
func lingers(d time.Duration) step.Step[int, int] {
	return step.Await(func(ctx context.Context, in int) (int, error) {
		<-ctx.Done()
		time.Sleep(d)
		return in, nil
	})
}

// reports keeps what is reported to a loop.
type reports struct {
	mu   sync.Mutex
	errs []error
}

func (r *reports) take(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errs = append(r.errs, err)
}

func (r *reports) all() []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.errs
}

// bubble runs test with a loop in a synctest bubble.
func bubble(t *testing.T, test func(t *testing.T, loop *tool.Loop, reported *reports)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		reported := new(reports)
		loop := tool.Start(tool.Options{OnError: reported.take})
		defer func() {
			if err := loop.Shutdown(context.Background()); err != nil {
				t.Errorf("shutdown: %v", err)
			}
		}()
		test(t, loop, reported)
	})
}

// doze sleeps in virtual time.
func doze(d time.Duration) { time.Sleep(d) }
