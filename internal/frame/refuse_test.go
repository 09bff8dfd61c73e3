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
	"github.com/futoin-go/asyncsteps/internal/queue"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// closingLoop is a loop that refuses work once it is closed.
type closingLoop struct {
	*tooltest.Loop
	closed bool
}

func (l *closingLoop) Immediate(fn func()) (tool.Handle, error) {
	if l.closed {
		return 0, tool.ErrShutdown
	}
	return l.Loop.Immediate(fn)
}

func (l *closingLoop) Deferred(d time.Duration, fn func()) (tool.Handle, error) {
	if l.closed {
		return 0, tool.ErrShutdown
	}
	return l.Loop.Deferred(d, fn)
}

func TestRefusedLimitFailsItsStep(t *testing.T) {
	loop := &closingLoop{Loop: tooltest.New()}
	run := startRun(t, loop, new(Activation), execOp(func(f *Frame) Verdict {
		loop.closed = true
		if f.SetTimeout(1) || f.Expects() {
			t.Error("the limit is reported as set")
		}
		return Done
	}))
	loop.Run()
	if !errors.Is(run.Result(), tool.ErrShutdown) {
		t.Errorf("ended with %v", run.Result())
	}
}

// C7: if the loop refuses the timer for a grace, the goroutine is left behind and reported.
func TestRefusedGraceIsReported(t *testing.T) {
	for _, grace := range []time.Duration{0, time.Hour, -1} {
		loop := &closingLoop{Loop: tooltest.New()}
		run := startRun(t, loop, new(Activation), execOp(func(f *Frame) Verdict {
			f.Run().Cancel(nil)
			loop.closed = true
			new(Wait).Hire(f, func(error) {}, grace)
			return Waiting
		}))
		loop.Run()
		wantCode(t, run.Result(), fault.Cancelled)
		if errs := loop.Errors(); len(errs) != 1 {
			t.Errorf("grace %v: reported are %v, want the goroutine", grace, errs)
		}
	}
}

// The run goes on if the function that gets the report ends its goroutine.
func TestRefusedGraceWithGoexit(t *testing.T) {
	for name, op := range map[string]func(*Frame) Verdict{
		"of a goroutine": func(f *Frame) Verdict {
			new(Wait).Hire(f, func(error) {}, 0)
			return Waiting
		},
		"of a shield": func(f *Frame) Verdict {
			k := &Fork{Branches: make([]Branch, 1), shielding: shielding{Shield: Shield{Shields: true}}}
			k.Branches[0].Enter(level(f.activation, execOp(wait)))
			return f.Fork(k)
		},
	} {
		loop := &closingLoop{Loop: tooltest.New()}
		host := tool.NewHost(tool.TurnLimits{}, tool.WithOnError(func(error) { runtime.Goexit() }))
		run := startRun(t, hostedLoop{loop, host}, new(Activation), execOp(op))
		onGoroutine(func() { loop.Run() })
		run.Cancel(nil)
		loop.closed = true
		for range 2 {
			onGoroutine(run.Turn)
		}
		if !run.HasEnded() {
			t.Errorf("%s: the run hasn't ended", name)
			continue
		}
		if e := wantCode(t, run.Result(), fault.Cancelled); len(e.Secondary) != 1 {
			t.Errorf("%s: the errors on the way are %v, want that of the grace", name, e.Secondary)
		}
	}
}

// timerlessLoop is a loop that refuses timers, but no turns, once it is closed.
type timerlessLoop struct {
	*tooltest.Loop
	closed bool
}

func (l *timerlessLoop) Deferred(d time.Duration, fn func()) (tool.Handle, error) {
	if l.closed {
		return 0, tool.ErrShutdown
	}
	return l.Loop.Deferred(d, fn)
}

// P10: the run ends without a part whose grace the loop refuses to time, also if the function that gets the report ends
// its goroutine.
func TestRefusedLingerWithGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reported := 0
		loop := &timerlessLoop{Loop: tooltest.New()}
		host := tool.NewHost(tool.TurnLimits{}, tool.WithOnError(func(error) { reported++; runtime.Goexit() }))
		part := new(Activation)
		part.Init(&Level{Ops: []Op{execOp(wait)}}, nil)
		var l Linger
		var slot Wait
		left := false
		run := startRun(t, hostedLoop{loop, host}, new(Activation), execOp(func(f *Frame) Verdict {
			if err := l.Begin(f, part, time.Hour, Ended(func(r *Run) { l.Join(r); left = true })); err != nil {
				t.Error(err)
			}
			var gen uint64
			gen = slot.Hire(f, func(cause error) {
				l.Leave(cause, false)
				slot.Finish(gen)
			}, -1)
			return Waiting
		}))
		onGoroutine(func() { loop.Run() })
		run.Cancel(nil)
		loop.closed = true
		onGoroutine(run.Turn)
		synctest.Wait()
		if !run.HasEnded() || reported != 1 {
			t.Fatalf("ended: %t, and %d errors are reported", run.HasEnded(), reported)
		}
		wantCode(t, run.Result(), fault.Cancelled)
		onGoroutine(func() { loop.Run() })
		if !left {
			t.Error("the part hasn't been left")
		}
	})
}

// K4: the run goes on if the function that is told of the end of a shield's grace ends its goroutine.
func TestShieldOutlivesItsGraceWithGoexit(t *testing.T) {
	loop := tooltest.New()
	host := tool.NewHost(tool.TurnLimits{}, tool.WithClock(loop.Now), tool.WithOnError(func(error) { runtime.Goexit() }))
	run := startRun(t, hostedLoop{loop, host}, new(Activation), execOp(func(f *Frame) Verdict {
		k := &Fork{Branches: make([]Branch, 1), shielding: shielding{Shield: Shield{Shields: true}}}
		k.Branches[0].Enter(level(f.activation, execOp(wait)))
		return f.Fork(k)
	}))
	onGoroutine(func() { loop.Run() })
	run.Cancel(nil)
	onGoroutine(func() { loop.Advance(tool.DefaultGrace - 1) })
	if run.HasEnded() {
		t.Fatal("the run has ended before the grace")
	}
	onGoroutine(func() { loop.Advance(1) })
	onGoroutine(func() { loop.Run() })
	if !run.HasEnded() {
		t.Fatal("the run hasn't ended")
	}
	if e := wantCode(t, run.Result(), fault.Cancelled); len(e.Secondary) != 1 {
		t.Errorf("the errors on the way are %v, want that of the grace", e.Secondary)
	}
}

// If a loop refuses the next turn of a run, that is reported. The function that gets the report may cancel the
// run, and end its goroutine.
func TestRefusedTurnIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reported []error
		var run *Run
		loop := &closingLoop{Loop: tooltest.New()}
		host := tool.NewHost(tool.TurnLimits{}, tool.WithOnError(func(err error) {
			reported = append(reported, err)
			run.Cancel(err)
			runtime.Goexit()
		}))
		op := &repeatedWait{left: 1}
		run = startRun(t, hostedLoop{loop, host}, new(Activation), op)
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

func TestRefusedTurnOfTheLoopIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reported []error
		loop := tool.NewManual(tool.Options{OnError: func(err error) { reported = append(reported, err) }})
		op := &repeatedWait{left: 1}
		run := startRun(t, loop, new(Activation), op)
		iterate(loop)
		run.loop = refusingLoop{run.loop}
		mustSchedule(t)(loop.Immediate(func() { completeInLoop(op) }))
		iterate(loop)
		synctest.Wait()
		if len(reported) != 1 || !errors.Is(reported[0], tool.ErrShutdown) {
			t.Errorf("reported are %v, want the refusal", reported)
		}
	})
}

func TestRefusedTurnOfAYieldIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := tooltest.New(tooltest.WithChooser(func(int) int { return 0 })) // a turn has one step
		startRun(t, loop, new(Activation), execOp(func(f *Frame) Verdict {
			f.Run().loop = refusingLoop{f.Run().loop}
			return Done
		}), execOp(nil))
		loop.Run()
		synctest.Wait()
		if errs := loop.Errors(); len(errs) != 1 || !errors.Is(errs[0], tool.ErrShutdown) {
			t.Errorf("reported are %v, want the refusal", errs)
		}
	})
}

type refusingLoop struct{ drive.Loop }

func (refusingLoop) Post(*queue.Item) error     { return tool.ErrShutdown }
func (refusingLoop) PostHere(*queue.Item) error { return tool.ErrShutdown }

type hostedLoop struct {
	tool.Tool
	host *tool.Host
}

func (h hostedLoop) Host() *tool.Host { return h.host }

// A run that its loop refuses leaves its memory in order: the next run uses it on another loop.
func TestRefusedRunLeavesNothing(t *testing.T) {
	for _, loop := range []tool.Tool{tooltest.New(), tool.NewManual(tool.Options{})} {
		var inst Activation
		ran := 0
		inst.Init(&Level{Ops: []Op{execOp(func(*Frame) Verdict { ran++; return Done })}}, nil)
		refuses := &closingLoop{Loop: tooltest.New(), closed: true}
		run := NewRun(&inst, &Config{Context: context.Background(), Tool: refuses})
		if err := run.Launch(); !errors.Is(err, tool.ErrShutdown) {
			t.Errorf("launched with %v", err)
		}
		if n := refuses.Host().Live(); n != 0 {
			t.Errorf("%d runs live on the loop", n)
		}
		if run.Cancel(nil) {
			t.Error("a run that never begins is cancelled")
		}
		run.Recycle()
		run = NewRun(&inst, &Config{Context: context.Background(), Tool: loop})
		if err := run.Launch(); err != nil {
			t.Fatal(err)
		}
		iterate(loop)
		if !run.HasEnded() || ran != 1 {
			t.Errorf("%T: over is %t, ran %d times", loop, run.HasEnded(), ran)
		}
	}
}
