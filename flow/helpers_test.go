package flow_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

type none = struct{}

var (
	errFirst  = fault.New("First", "the first")
	errSecond = fault.New("Second", "the second")
)

type recorder struct{ plantest.Recorder }

func (rec *recorder) step(line string) step.Step[none, none] {
	return step.Func(func(step.Scope, none) (none, error) {
		rec.Recordf("%s", line)
		return none{}, nil
	})
}

func (rec *recorder) failing(name string, err error) step.Step[none, none] {
	return step.Func(func(step.Scope, none) (none, error) {
		rec.Recordf("%s", name)
		return none{}, err
	})
}

// waiting returns a step that is never completed; its hook writes name.
func (rec *recorder) waiting(name string) step.Step[none, none] {
	return step.New(func(as step.Scope, _ none) step.Next[none] {
		as.SetCancel(func() { rec.Recordf("%s", name) })
		return step.Wait[none](as, nil)
	})
}

func failAfter(d time.Duration, err error) step.Step[int, int] {
	return flow.Then(step.Delay[int](d), step.Func(func(step.Scope, int) (int, error) { return 0, err }))
}

func sum[In any](s step.Step[In, []int]) flow.Plan[In, int] {
	return flow.Then(s, step.Map(func(vs []int) int {
		total := 0
		for _, v := range vs {
			total += v
		}
		return total
	}))
}

func (rec *recorder) waitingInt(name string) step.Step[int, int] {
	return step.New(func(as step.Scope, _ int) step.Next[int] {
		as.SetCancel(func() { rec.Recordf("%s", name) })
		return step.Wait[int](as, nil)
	})
}

// recordError returns s with a handler that writes name and the code, and gives no answer.
func (rec *recorder) recordError(name string, s step.Step[int, int]) flow.Plan[int, int] {
	return flow.Catch(s, func(_ step.Scope, err error) step.Next[int] {
		rec.Recordf("%s: %s", name, fault.CodeOf(err))
		return step.Unwind[int]()
	})
}

func (rec *recorder) recoverWith(name string, v int, s step.Step[int, int]) flow.Plan[int, int] {
	return flow.Catch(s, func(_ step.Scope, err error) step.Next[int] {
		rec.Recordf("%s: %s", name, fault.CodeOf(err))
		return step.Succeed(v)
	})
}

func (rec *recorder) passing(line string) step.Step[int, int] {
	return step.Map(func(in int) int {
		rec.Recordf("%s", line)
		return in
	})
}

func stopsAfter(d time.Duration) step.Step[int, int] {
	return step.Await(func(ctx context.Context, in int) (int, error) {
		<-ctx.Done()
		time.Sleep(d)
		return in, nil
	})
}

type errorLog struct {
	mu   sync.Mutex
	errs []error
}

func (r *errorLog) add(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errs = append(r.errs, err)
}

func (r *errorLog) all() []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.errs)
}

func bubble(t *testing.T, test func(t *testing.T, loop *tool.Loop, reported *errorLog)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		reported := new(errorLog)
		loop := tool.Start(tool.Options{OnError: reported.add})
		defer func() {
			if err := loop.Shutdown(context.Background()); err != nil {
				t.Errorf("shutdown: %v", err)
			}
		}()
		test(t, loop, reported)
	})
}

func virtualSleep(d time.Duration) { time.Sleep(d) }
