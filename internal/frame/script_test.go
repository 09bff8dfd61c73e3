package frame

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// scripted is an op made of functions. Without a function it does what Leaf does.
type scripted struct {
	Leaf
	exec   func(f *Frame) Verdict
	resume func(f *Frame) Verdict
	handle func(f *Frame, err error) Verdict
	loop   bool
}

func (o *scripted) Exec(f *Frame) Verdict {
	if o.exec == nil {
		return Done
	}
	return o.exec(f)
}

func (o *scripted) Resume(f *Frame) Verdict {
	if o.resume == nil {
		return o.Leaf.Resume(f)
	}
	return o.resume(f)
}

func (o *scripted) Handle(f *Frame, err error) Verdict {
	if o.handle == nil {
		return o.Leaf.Handle(f, err)
	}
	return o.handle(f, err)
}

func (o *scripted) Loops(*Jump) bool { return o.loop }

// does returns an op whose body is exec.
func does(exec func(f *Frame) Verdict) *scripted { return &scripted{exec: exec} }

// fails returns an op that fails with err.
func fails(err error) *scripted { return does(func(f *Frame) Verdict { return f.Fail(err) }) }

// leaves returns an op that sends g.
func leaves(g *Jump) *scripted { return does(func(f *Frame) Verdict { return f.Jump(g) }) }

// level returns a frame of a level of ops.
func level(inst *Activation, ops ...Op) *Frame {
	f := new(Frame)
	f.Init(inst, &Level{Ops: ops})
	return f
}

// hold returns an op with ops as its sub-steps.
func hold(inst *Activation, ops ...Op) *scripted {
	body := level(inst, ops...)
	return does(func(f *Frame) Verdict { return f.Enter(body) })
}

// splits returns an op with one branch for each of ops.
func splits(inst *Activation, ops ...Op) *scripted {
	k := &Fork{Branches: make([]Branch, len(ops))}
	for i, op := range ops {
		k.Branches[i].Enter(level(inst, op))
	}
	return does(func(f *Frame) Verdict { return f.Fork(k) })
}

// wait returns the verdict of a body whose wait is never completed.
func wait(f *Frame) Verdict {
	new(Wait).Open(f)
	return Waiting
}

// launch starts a run of ops on loop; the caller drives that.
func launch(t *testing.T, loop tool.Tool, inst *Activation, ops ...Op) *Run {
	t.Helper()
	inst.Init(&Level{Ops: ops}, nil)
	run := NewRun(inst, &Config{Context: context.Background(), Tool: loop})
	if err := run.Launch(); err != nil {
		t.Fatal(err)
	}
	return run
}

// play runs ops on a virtual loop until the loop is idle.
func play(t *testing.T, inst *Activation, ops ...Op) error {
	t.Helper()
	return playOn(t, tooltest.New(), inst, ops...)
}

// playOn does the same on the given loop.
func playOn(t *testing.T, loop *tooltest.Loop, inst *Activation, ops ...Op) error {
	t.Helper()
	run := launch(t, loop, inst, ops...)
	loop.Run()
	if !run.HasEnded() {
		t.Fatal("the run hasn't ended")
	}
	return run.Result()
}

// coded returns err as the error of a run. It fails the test if err has another code.
func coded(t *testing.T, err error, code fault.Code) *fault.Error {
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
