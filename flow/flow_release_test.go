package flow_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A context that lives on holds no run that has ended. The test checks that by a result that nothing else holds.
func TestO6ContextForgetsEndedRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		loop := tooltest.New()
		plan := step.Map(func(in string) *[100]string { return &[100]string{in} })
		var results [8]weak.Pointer[[100]string]
		for i := range results {
			run := flow.Start(ctx, loop, plan, "result")
			loop.Run()
			v, err := run.Result()
			if err != nil {
				t.Fatal(err)
			}
			results[i] = weak.Make(v)
		}
		synctest.Wait()
		runtime.GC()
		runtime.GC() // the second collection empties the pools
		runtime.GC()
		for i, r := range results {
			if r.Value() != nil {
				t.Errorf("the result of run %d is kept", i)
			}
		}
	})
}

func TestO6ContextForgetsRefusedRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		closed := tool.NewManual(tool.Options{})
		if err := closed.Shutdown(ctx); err != nil {
			t.Fatal(err)
		}
		var runs [8]weak.Pointer[flow.Running[string]]
		for i := range runs {
			run := flow.Start(ctx, closed, step.Map(func(in string) string { return in }), "")
			if _, err := run.Result(); err == nil {
				t.Fatal("the loop takes it")
			}
			runs[i] = weak.Make(run)
		}
		synctest.Wait()
		runtime.GC()
		for i, r := range runs {
			if r.Value() != nil {
				t.Errorf("run %d is kept", i)
			}
		}
	})
}

// The Running of a run that has ended holds neither its context nor the functions given to Then.
func TestO6EndedRunHoldsNothing(t *testing.T) {
	closed := tool.NewManual(tool.Options{})
	if err := closed.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, loop := range map[string]tool.Tool{"served": tooltest.New(), "refused": closed} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				type key struct{}
				value, told := new([100]string), new([100]string)
				ctx, cancel := context.WithCancel(context.WithValue(context.Background(), key{}, value))
				run := flow.Start(ctx, loop, step.Map(func(in string) string { return in }), "")
				run.Then(func(string, error) { told[0] = "ended" })
				if l, ok := loop.(*tooltest.Loop); ok {
					l.Run()
				}
				cancel()
				if told[0] != "ended" {
					t.Error("Then wasn't told")
				}
				ofContext, ofThen := weak.Make(value), weak.Make(told)
				synctest.Wait()
				runtime.GC()
				runtime.GC()
				runtime.GC()
				if ofContext.Value() != nil || ofThen.Value() != nil {
					t.Errorf("it holds its context: %v; what Then was given: %v", ofContext.Value() != nil, ofThen.Value() != nil)
				}
				runtime.KeepAlive(run)
			})
		})
	}
}

type collectableError struct{ text [100]string }

func (e *collectableError) Error() string { return e.text[0] }

// Memory that waits for its next run holds no error that a race has survived.
func TestP6RaceForgetsItsErrors(t *testing.T) {
	var lost []weak.Pointer[collectableError]
	fails := step.Func(func(step.Scope, int) (int, error) {
		err := new(collectableError)
		lost = append(lost, weak.Make(err))
		return 0, err
	})
	loop := tooltest.New()
	for range 8 {
		flow.Start(t.Context(), loop, flow.First(fails, step.Delay[int](oneSecond)), 1)
	}
	loop.Run()
	runtime.GC()
	for i, err := range lost {
		if err.Value() != nil {
			t.Errorf("the error of run %d is held", i)
		}
	}
}

// A step that has ended holds none of its values, though its run goes on.
func TestEndedStepsHoldNothing(t *testing.T) {
	type value = *[100]string
	var made weak.Pointer[[100]string]
	makes := step.Map(func(int) value { v := new([100]string); made = weak.Make(v); return v })
	drops := step.Map(func(value) int { return 0 })
	release := step.Map(func(flow.Ended[value, int]) int { return 0 })
	// A cell holds its value until it gets another one.
	nothing, none := step.Map(func(value) value { return nil }), step.Map(func([]value) []value { return nil })
	over := flow.Then(flow.Then(nothing, nothing), drops)
	tasks := flow.NewTasks[int, value]("tasks")
	undoable := flow.Then(flow.Undo(makes, drops), drops)
	for name, p := range map[string]step.Step[int, int]{
		"Bracket":     flow.Bracket(makes, drops, release),
		"Saga":        flow.Saga(undoable),
		"Saga undone": flow.Catch(flow.Saga(flow.Then(undoable, step.Func(fail))), func(step.Scope, error) step.Next[int] { return step.Succeed(0) }),
		"loop":        flow.Then(flow.Then(makes, loopx.Repeat(2, step.Map(func(it loopx.Iteration[value]) value { return it.Carry }))), over),
		"Tasks": flow.Then(flow.Then(step.Map(func(in int) []int { return []int{in} }), tasks.All(1, makes)),
			flow.Then(flow.Then(none, none), step.Map(func([]value) int { return 0 }))),
	} {
		loop := tooltest.New()
		run := flow.Start(t.Context(), loop, flow.Then(p, step.Delay[int](time.Hour)), 1)
		loop.Advance(time.Minute)
		runtime.GC() // once, because the second collection would empty the pools
		if made.Value() != nil {
			t.Errorf("%s holds it", name)
		}
		run.Cancel(nil)
		loop.Run()
	}
}
