package timeline_test

import (
	"context"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var errDown = fault.New("Down", "the price server is down")

func delayed(name string, d time.Duration, err error) step.Step[int, int] {
	return flow.Named(name, step.New(func(as step.Scope, in int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) {
			as.Loop().Deferred(d, func() {
				if err != nil {
					done.Fail(err)
				} else {
					done.Succeed(in)
				}
			})
		})
	}))
}

// examplePlan has retries with pauses, a limit with a fallback, a queue of a guard, and a run started by a step.
func examplePlan() step.Step[int, int] {
	db := syncx.NewMutex(1, 1)
	found := loopx.NewLabel[int]("found")
	ask := step.New(func(as step.Scope, t loopx.Iteration[int]) step.Next[int] {
		if t.Index < 2 {
			return step.Into(as, delayed("fetch", 60*time.Millisecond, errDown), t.Index)
		}
		return step.Into(as, delayed("fetch", 40*time.Millisecond, nil), t.Index)
	})
	found1 := step.New(func(_ step.Scope, v int) step.Next[int] { return loopx.BreakTo[int](found, v) })
	price := flow.Named("price", loopx.Labelled(found, loopx.Repeat(3,
		flow.Catch(flow.Then(flow.Named("ask", ask), flow.Named("found", found1)), func(as step.Scope, _ error) step.Next[int] {
			return step.Into(as, delayed("pause", 50*time.Millisecond, nil), 0)
		}))))
	stock := flow.Named("stock", flow.Catch(flow.Timeout(120*time.Millisecond, delayed("count", time.Second, nil)),
		func(as step.Scope, _ error) step.Next[int] {
			return step.Into(as, delayed("guess", 20*time.Millisecond, nil), 0)
		}))
	audit := flow.Named("audit", syncx.Sync(db, delayed("write", 90*time.Millisecond, nil)))
	mail := flow.Named("mail", flow.Of(delayed("send", 70*time.Millisecond, nil)))
	render := flow.Named("render", step.Func(func(as step.Scope, _ []int) (int, error) {
		flow.Start(context.WithoutCancel(as.Context()), as.Loop(), mail, 1)
		return 1, nil
	}))
	return flow.Named("page", flow.Then(flow.Par(price, stock, audit), render))
}

// recordExample records three runs of examplePlan, each begun 10 ms after the one before. The last one finds the queue
// full. Runs are numbered from 1, and times are virtual.
func recordExample(t *testing.T) []observe.Recording {
	t.Helper()
	rec := observe.NewRecorder(10_000)
	ctx := observe.With(context.Background(), rec)
	l, plan := tooltest.New(), examplePlan()
	for range 3 {
		flow.Start(ctx, l, plan, 0)
		l.Advance(10 * time.Millisecond)
	}
	l.Run()
	if errs := l.Errors(); errs != nil {
		t.Fatal(errs)
	}
	return numbered(rec.Runs())
}

// numbered numbers runs from 1, whatever earlier tests ran.
func numbered(runs []observe.Recording) []observe.Recording {
	for i := range runs {
		if id := &runs[i].Run.Parent; *id > 0 {
			*id -= runs[0].Run.ID - 1
		}
		if i > 0 {
			runs[i].Run.ID -= runs[0].Run.ID - 1
		}
	}
	if len(runs) > 0 {
		runs[0].Run.ID = 1
	}
	return runs
}
