package frame

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type countedValue int

func (o *countedValue) Free(Over) { *o++ }

// S1: the variables of a run are dropped when it is recycled, and those that own memory outside of Go are freed.
func TestVarsEndWithTheirRun(t *testing.T) {
	var inst Activation
	var owner countedValue
	inst.Init(&Level{Ops: []Op{execOp(nil)}}, nil)
	for _, n := range []int{1, retained, retained + 1} {
		owner = 0
		run := NewRun(&inst, &Config{Context: context.Background()})
		for i := range n {
			run.Vars().Set(string(rune('a'+i)), &owner)
		}
		run.Turn()
		run.Recycle()
		if int(owner) != n {
			t.Errorf("%d of %d variables are given back", owner, n)
		}
		next := NewRun(&inst, &Config{Context: context.Background()})
		for key := range next.Vars().All() {
			t.Fatalf("the next run has the variable %q", key)
		}
		next.Turn()
		next.Recycle()
	}
}

// §1.7: there is an async stack while a step is current.
func TestAsyncStackOutsideOfSteps(t *testing.T) {
	var inst Activation
	inst.Init(&Level{Ops: []Op{&testOp{
		exec: func(f *Frame) Verdict { return f.Fail(errFirst) },
		handle: func(f *Frame, _ error) Verdict {
			if _, ok := f.Run().Vars().Get(AsyncStack); !ok {
				t.Error("a handler has no async stack")
			}
			return Silent
		},
	}}}, nil)
	for range 2 {
		run := NewRun(&inst, &Config{Context: context.Background()})
		for _, when := range []string{"before the run", "after it"} {
			if stack, ok := run.Vars().Get(AsyncStack); ok || stack != nil {
				t.Errorf("%s the stack is %v", when, stack)
			}
			run.Turn()
		}
		run.Recycle()
	}
}

// §1.7: error_info and last_exception are there once an error was raised.
func TestErrorVariables(t *testing.T) {
	if err := runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
		for _, key := range []string{LastException, ErrorInfo} {
			if _, ok := f.Run().Vars().Get(key); ok {
				t.Errorf("%s is there before an error", key)
			}
		}
		return Done
	}), &testOp{
		exec:   func(f *Frame) Verdict { return f.Fail(errFirst) },
		handle: func(*Frame, error) Verdict { return Done },
	}, execOp(func(f *Frame) Verdict {
		if last, ok := f.Run().Vars().Get(LastException); !ok || last != error(errFirst) {
			t.Errorf("the last exception is %v", last)
		}
		if info, ok := f.Run().Vars().Get(ErrorInfo); !ok || info != "the first" {
			t.Errorf("the info is %v", info)
		}
		return Done
	})); err != nil {
		t.Error(err)
	}
}

// E3: in a handler last_exception is its error, also if another branch has raised one meanwhile.
func TestErrorVariablesOfAHandler(t *testing.T) {
	loop, inst := tooltest.New(), new(Activation)
	slot, gen, asked := new(Wait), uint64(0), false
	slow := forkOp(inst, execOp(func(f *Frame) Verdict {
		gen = slot.Hire(f, func(error) {}, -1)
		return Waiting
	}), failOp(errFirst))
	slow.handle = func(f *Frame, _ error) Verdict {
		asked = true
		if last, _ := f.Run().Vars().Get(LastException); last != error(errFirst) {
			t.Errorf("the last exception is %v, in the handler of %v", last, errFirst)
		}
		return Done
	}
	op, meanwhile := &repeatedWait{left: 1}, failOp(errSecond)
	meanwhile.handle = func(*Frame, error) Verdict { return Done }
	run := startRun(t, loop, inst, forkOp(inst, slow, callOp(inst, op, meanwhile)))
	loop.Run()
	completeElsewhere(&op.slot, op.gen.Load())
	loop.Run()
	if run.Last() != error(errSecond) || asked {
		t.Fatalf("raised last is %v, and the handler was asked: %t", run.Last(), asked)
	}
	slot.Finish(gen)
	loop.Run()
	if !asked || !run.HasEnded() || run.Result() != nil {
		t.Errorf("asked: %t, ended: %t, with %v", asked, run.HasEnded(), run.Result())
	}
}
