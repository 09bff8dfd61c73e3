package frame

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// testOp is an op made of functions.
type testOp struct {
	Leaf
	exec   func(f *Frame) Verdict
	resume func(f *Frame) Verdict
	handle func(f *Frame, err error) Verdict
	loop   bool
}

func (o *testOp) Exec(f *Frame) Verdict {
	if o.exec == nil {
		return Done
	}
	return o.exec(f)
}

func (o *testOp) Resume(f *Frame) Verdict {
	if o.resume == nil {
		return o.Leaf.Resume(f)
	}
	return o.resume(f)
}

func (o *testOp) Handle(f *Frame, err error) Verdict {
	if o.handle == nil {
		return o.Leaf.Handle(f, err)
	}
	return o.handle(f, err)
}

func (o *testOp) Loops(*Jump) bool { return o.loop }

func execOp(exec func(f *Frame) Verdict) *testOp { return &testOp{exec: exec} }

func failOp(err error) *testOp { return execOp(func(f *Frame) Verdict { return f.Fail(err) }) }

func jumpOp(g *Jump) *testOp { return execOp(func(f *Frame) Verdict { return f.Jump(g) }) }

func level(inst *Activation, ops ...Op) *Frame {
	f := new(Frame)
	f.Init(inst, &Level{Ops: ops})
	return f
}

// callOp returns an op with ops as its sub-steps.
func callOp(inst *Activation, ops ...Op) *testOp {
	body := level(inst, ops...)
	return execOp(func(f *Frame) Verdict { return f.Enter(body) })
}

// forkOp returns an op with one branch for each of ops.
func forkOp(inst *Activation, ops ...Op) *testOp {
	k := &Fork{Branches: make([]Branch, len(ops))}
	for i, op := range ops {
		k.Branches[i].Enter(level(inst, op))
	}
	return execOp(func(f *Frame) Verdict { return f.Fork(k) })
}

// wait returns the verdict of a body whose wait is never completed.
func wait(f *Frame) Verdict {
	new(Wait).Open(f)
	return Waiting
}

// startRun starts a run of ops on loop; the caller drives that.
func startRun(t *testing.T, loop tool.Tool, inst *Activation, ops ...Op) *Run {
	t.Helper()
	inst.Init(&Level{Ops: ops}, nil)
	run := NewRun(inst, &Config{Context: context.Background(), Tool: loop})
	if err := run.Launch(); err != nil {
		t.Fatal(err)
	}
	return run
}

// runOps runs ops on a virtual loop until the loop is idle.
func runOps(t *testing.T, inst *Activation, ops ...Op) error {
	t.Helper()
	return runOpsOn(t, tooltest.New(), inst, ops...)
}

func runOpsOn(t *testing.T, loop *tooltest.Loop, inst *Activation, ops ...Op) error {
	t.Helper()
	run := startRun(t, loop, inst, ops...)
	loop.Run()
	if !run.HasEnded() {
		t.Fatal("the run hasn't ended")
	}
	return run.Result()
}

// wantCode returns err as the error of a run. It fails the test if err has another code.
func wantCode(t *testing.T, err error, code fault.Code) *fault.Error {
	t.Helper()
	e, ok := err.(*fault.Error)
	if !ok || e.Code != code {
		t.Fatalf("ended with %v, want %v", err, code)
	}
	return e
}

var (
	errFirst  = fault.New("First", "the first")
	errSecond = fault.New("Second", "the second")
)
