package flow_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type collectable struct{ text [100]string }

func (h *collectable) Error() string { return "as it was told to" + h.text[0] }

// The memory of a plan refers to no value and no error of a run that has ended.
func TestMemoryHoldsNoValue(t *testing.T) {
	type v = *collectable
	var made []weak.Pointer[collectable]
	fresh := func() v {
		x := new(collectable)
		made = append(made, weak.Make(x))
		return x
	}
	maps := step.Map(func(v) v { return fresh() })
	fails := step.Func(func(step.Scope, v) (v, error) { return fresh(), fresh() })
	waits := step.New(func(as step.Scope, _ v) step.Next[v] {
		return step.Wait(as, func(done step.Done[v]) {
			if _, err := as.Loop().Deferred(time.Second, func() { done.Succeed(fresh()) }); err != nil {
				t.Error(err)
			}
		})
	})
	failsLater := flow.Then(waits, fails)
	list := func(n int) step.Step[v, []v] {
		return step.Map(func(x v) []v {
			all := make([]v, n)
			for i := range all {
				all[i] = fresh()
			}
			return all
		})
	}
	first := step.Map(func(all []v) v { return all[0] })
	nothing := step.Map(func(v) struct{} { return struct{}{} })
	release := step.Map(func(flow.Ended[v, v]) struct{} { return struct{}{} })
	slowly := flow.Then(step.Delay[flow.Ended[v, v]](time.Second), release)
	recovers := func(step.Scope, error) step.Next[v] { return step.Succeed(fresh()) }
	var more int
	tasks := flow.NewTasks[v, v]("tasks")
	adds := step.New(func(as step.Scope, _ v) step.Next[v] {
		if more > 0 {
			more--
			tasks.Go(as, fresh())
		}
		return step.Into(as, waits, fresh())
	})
	for name, s := range map[string]step.Step[v, v]{
		"wait":            waits,
		"wait that fails": failsLater,
		"limit":           flow.Timeout(time.Millisecond, waits),
		"delay":           step.Delay[v](time.Second),
		"delay by":        step.DelayBy(func(step.Scope, v) time.Duration { return time.Second }),
		"call":            flow.Then(flow.Call(maps), waits),
		"catch":           flow.Catch(failsLater, recovers),
		"hook":            flow.OnCancel(waits, func(step.Scope) {}),
		"cancelled hook":  flow.Timeout(time.Millisecond, flow.OnCancel(waits, func(step.Scope) {})),
		"carry":           flow.Then(flow.Carry(waits), step.Map(func(p flow.Pair[v, v]) v { return p.A })),
		"par":             flow.Then(flow.Par(waits, maps, waits), first),
		"par that fails":  flow.Then(flow.Par(waits, maps, failsLater), first),
		"each":            flow.Then(list(3), flow.Then(flow.ParEach(2, waits), first)),
		"each of many":    flow.Then(list(100), flow.Then(flow.ParEach(100, waits), first)),
		"each that fails": flow.Then(list(3), flow.Then(flow.ParEach(2, failsLater), first)),
		"first":           flow.First(failsLater, waits),
		"race":            flow.Race(waits, failsLater),
		"some":            flow.Then(flow.Some(1, waits, fails), first),
		"hedge":           flow.Hedge(time.Millisecond, waits, maps),
		"graph": flow.Graph(func(in flow.Ref[v]) flow.Ref[v] {
			a, b := flow.Node(in, waits), flow.Node(in, maps)
			return flow.Node(flow.Join2(a, b), step.Map(func(p flow.Pair[v, v]) v { return p.A }))
		}),
		"bracket":                   flow.Bracket(maps, waits, release),
		"bracket that fails":        flow.Bracket(maps, failsLater, slowly),
		"saga":                      flow.Saga(flow.Then(flow.Undo(maps, nothing), waits)),
		"saga that fails":           flow.Saga(flow.Then(flow.Undo(maps, flow.Then(waits, nothing)), failsLater)),
		"saga of a saga that fails": flow.Saga(flow.Then(flow.Saga(flow.Undo(maps, nothing)), fails)),
		"shield":                    flow.Shield(waits),
		"retry":                     retry.Of(retry.Policy{Tries: 3, Pause: time.Second}, failsLater),
		"retry of one failure": retry.OfAttempt(retry.Policy{Tries: 3, Pause: time.Second}, func(n int) step.Step[v, v] {
			if n == 1 {
				return fails
			}
			return waits
		}),
		"tasks":  flow.Then(list(2), flow.Then(tasks.All(3, adds), first)),
		"linger": flow.Linger(time.Second, flow.First(maps, waits)),
	} {
		t.Run(name, func(t *testing.T) {
			made, more = made[:0], 5
			for range 2 { // the second run may take the memory of the first
				func() {
					loop := tooltest.New()
					run := flow.Start(context.WithValue(context.Background(), s, fresh()), loop, s, fresh())
					loop.Run()
					if _, err := run.Result(); err != nil && !errors.As(err, new(*collectable)) && name != "limit" && name != "cancelled hook" {
						t.Error(err)
					}
				}()
				runtime.GC()
				for i, x := range made {
					if x.Value() != nil {
						t.Errorf("value %d of %d is held", i, len(made))
					}
				}
			}
			runtime.KeepAlive(s)
		})
	}
}
