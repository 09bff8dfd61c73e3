package frame

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/tool"
)

// C3: a limit is armed when the run gets its loop, here for a wait. If the loop refuses, that is reported to it.
func TestRefusedLateLimitIsReported(t *testing.T) {
	var reported []error
	loop := tool.NewManual(tool.Options{OnError: func(err error) { reported = append(reported, err) }})
	if err := loop.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	inst := new(Activation)
	inst.Init(&Level{Ops: []Op{execOp(func(f *Frame) Verdict {
		f.SetTimeout(time.Hour)
		return wait(f)
	})}}, nil)
	run := NewDriven(t.Context(), inst, func(context.Context, uint64) (tool.Tool, drive.Loop) {
		l, _ := drive.Of(loop)
		return loop, l
	}, 0, nil)
	run.Turn()
	if len(reported) != 1 || !errors.Is(reported[0], tool.ErrShutdown) {
		t.Errorf("reported are %v, want the refused limit", reported)
	}
}

// C8: a context has no deadline for a limit that the loop refuses when the context is asked for.
func TestRefusedLateLimitIsNoDeadline(t *testing.T) {
	loop := tool.NewManual(tool.Options{OnError: func(error) {}})
	if err := loop.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	inst := new(Activation)
	inst.Init(&Level{Ops: []Op{execOp(func(f *Frame) Verdict {
		f.SetTimeout(time.Hour)
		if end, ok := f.Context().Deadline(); ok {
			t.Errorf("the deadline is %v", end)
		}
		return Done
	})}}, nil)
	run := NewDriven(context.Background(), inst, func(context.Context, uint64) (tool.Tool, drive.Loop) {
		l, _ := drive.Of(loop)
		return loop, l
	}, 0, nil)
	run.Turn()
	if run.Result() != nil {
		t.Errorf("ended with %v", run.Result())
	}
}

// Code that is told of a refused limit may complete a wait that is being left at that moment, or begins.
func TestRefusedLateLimitIsReportedWithoutTheLock(t *testing.T) {
	var slot Wait
	hire := func(f *Frame) Verdict {
		slot.Hire(f, func(error) {}, -1)
		return Waiting
	}
	for name, op := range map[string]Op{
		"begins": execOp(func(f *Frame) Verdict {
			f.SetTimeout(time.Hour)
			return hire(f)
		}),
		"is left": execOp(func(f *Frame) Verdict {
			f.Run().Tool()
			f.SetTimeout(time.Hour)
			k := &Fork{Branches: make([]Branch, 2)}
			k.Branches[0].Enter(level(f.activation, execOp(hire)))
			k.Branches[1].Enter(level(f.activation, execOp(func(f *Frame) Verdict { return f.Fail(errors.New("broken")) })))
			return f.Fork(k)
		}),
	} {
		reported := 0
		loop := tool.NewManual(tool.Options{OnError: func(err error) {
			if reported++; !slot.mu.TryLock() {
				t.Errorf("%s: %v is reported under the lock of the wait", name, err)
				return
			}
			slot.mu.Unlock()
		}})
		if err := loop.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		inst := new(Activation)
		inst.Init(&Level{Ops: []Op{op}}, nil)
		NewDriven(t.Context(), inst, func(context.Context, uint64) (tool.Tool, drive.Loop) {
			l, _ := drive.Of(loop)
			return loop, l
		}, 0, nil).Turn()
		if reported == 0 {
			t.Errorf("%s: the limit isn't reported", name)
		}
	}
}

// The report of a refused limit isn't taken for code of the step: what the step does next counts as before.
func TestStepGoesOnAfterARefusedLimit(t *testing.T) {
	loop := tool.NewManual(tool.Options{OnError: func(error) {}})
	if err := loop.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		then func(f *Frame)
		want fault.Code
	}{
		"breaks a rule":      {breakRule, fault.InvalidRequest},
		"ends its goroutine": {func(*Frame) { runtime.Goexit() }, fault.InternalError},
	} {
		inst := new(Activation)
		inst.Init(&Level{Ops: []Op{execOp(func(f *Frame) Verdict {
			f.SetTimeout(time.Hour)
			f.Run().Tool() // arms the limit
			c.then(f)
			return Done
		})}}, nil)
		run := NewDriven(t.Context(), inst, func(context.Context, uint64) (tool.Tool, drive.Loop) {
			l, _ := drive.Of(loop)
			return loop, l
		}, 0, nil)
		for range 2 {
			onGoroutine(run.Turn)
		}
		if !run.HasEnded() {
			t.Errorf("%s: the run hasn't ended", name)
			continue
		}
		wantCode(t, run.Result(), c.want)
	}
}
