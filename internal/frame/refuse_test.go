package frame

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// closing is a loop that refuses work from some moment on.
type closing struct {
	*tooltest.Loop
	closed bool
}

func (l *closing) Immediate(fn func()) (tool.Handle, error) {
	if l.closed {
		return 0, tool.ErrShutdown
	}
	return l.Loop.Immediate(fn)
}

func (l *closing) Deferred(d time.Duration, fn func()) (tool.Handle, error) {
	if l.closed {
		return 0, tool.ErrShutdown
	}
	return l.Loop.Deferred(d, fn)
}

// C3: a limit that the loop refuses isn't set, and its step fails.
func TestRefusedLimitFailsItsStep(t *testing.T) {
	loop := &closing{Loop: tooltest.New()}
	run := launch(t, loop, new(Activation), does(func(f *Frame) Verdict {
		loop.closed = true
		if f.SetTimeout(1) {
			t.Error("the limit is reported as set")
		}
		return Done
	}))
	loop.Run()
	if !errors.Is(run.Result(), tool.ErrShutdown) {
		t.Errorf("ended with %v", run.Result())
	}
}

// C3: a limit that is armed when the turn ends may find that the loop, which the run got
// only then, refuses. Its step is waiting by now, so the loop is told.
func TestRefusedLateLimitIsReported(t *testing.T) {
	var reported []error
	loop := tool.NewManual(tool.Options{OnError: func(err error) { reported = append(reported, err) }})
	if err := loop.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	inst := new(Activation)
	inst.Init(&Level{Ops: []Op{does(func(f *Frame) Verdict {
		f.SetTimeout(time.Hour)
		return wait(f)
	})}}, nil)
	run := NewRun(inst, Config{Context: t.Context(), Spare: func(uint64) (tool.Tool, drive.Loop) {
		l, _ := drive.Of(loop)
		return loop, l
	}})
	run.Turn()
	if len(reported) != 1 || !errors.Is(reported[0], tool.ErrShutdown) {
		t.Errorf("reported are %v, want the refused limit", reported)
	}
}

// C7: on a loop that can't wait for it any more, a goroutine that has to be left
// behind is reported at once, whatever its grace is.
func TestRefusedGraceIsReported(t *testing.T) {
	for _, grace := range []time.Duration{0, time.Hour, -1} {
		loop := &closing{Loop: tooltest.New()}
		run := launch(t, loop, new(Activation), does(func(f *Frame) Verdict {
			f.Run().Cancel(nil)
			loop.closed = true
			new(Wait).Hire(f, func(error) {}, grace)
			return Waiting
		}))
		loop.Run()
		coded(t, run.Result(), fault.Cancelled)
		if errs := loop.Errors(); len(errs) != 1 {
			t.Errorf("grace %v: reported are %v, want the goroutine", grace, errs)
		}
	}
}

// A loop that refuses to go on with a run that lives on it says so: what was
// completed can't be looked at, and nobody else would know. Who takes the report
// may do with the run what it likes, and be the last thing that its goroutine does.
func TestRefusedTurnIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reported []error
		var run *Run
		loop := &closing{Loop: tooltest.New()}
		host := tool.NewHost(tool.TurnLimits{}, tool.WithOnError(func(err error) {
			reported = append(reported, err)
			run.Cancel(err)
			runtime.Goexit()
		}))
		op := &waits{left: 1}
		run = launch(t, hosted{loop, host}, new(Activation), op)
		loop.Run()
		loop.closed = true
		op.slot.Claim(op.gen.Load())
		op.slot.Complete(nil)
		synctest.Wait()
		if len(reported) != 1 || !errors.Is(reported[0], tool.ErrShutdown) {
			t.Errorf("reported are %v, want the refusal", reported)
		}
	})
}

// hosted is a loop with another host.
type hosted struct {
	tool.Tool
	host *tool.Host
}

func (h hosted) Host() *tool.Host { return h.host }

// A run that its loop refuses leaves nothing behind: the same memory runs on
// another loop.
func TestRefusedRunLeavesNothing(t *testing.T) {
	var inst Activation
	ran := 0
	inst.Init(&Level{Ops: []Op{does(func(*Frame) Verdict { ran++; return Done })}}, nil)
	refuses := &closing{Loop: tooltest.New(), closed: true}
	run := NewRun(&inst, Config{Context: context.Background(), Tool: refuses})
	if err := run.Launch(); !errors.Is(err, tool.ErrShutdown) {
		t.Errorf("launched with %v", err)
	}
	if n := refuses.Host().Live(); n != 0 {
		t.Errorf("%d runs live on the loop", n)
	}
	run.Recycle()
	loop := tooltest.New()
	run = NewRun(&inst, Config{Context: context.Background(), Tool: loop})
	if err := run.Launch(); err != nil {
		t.Fatal(err)
	}
	loop.Run()
	if !run.HasEnded() || ran != 1 {
		t.Errorf("over is %t, ran %d times", run.HasEnded(), ran)
	}
}
