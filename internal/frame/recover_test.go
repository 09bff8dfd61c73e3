package frame

import (
	"errors"
	"runtime"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// quittingStringError is an error that ends the goroutine when it is asked for its text.
type quittingStringError struct{}

func (quittingStringError) Error() string { runtime.Goexit(); return "" }

// E4, E6: the error of a run tells that the error of its step has ended the goroutine when it was asked for its text.
func TestErrorThatEndsTheGoroutineIsTold(t *testing.T) {
	loop := tooltest.New()
	run := startRun(t, loop, new(Activation), failOp(quittingStringError{}))
	for range 2 {
		onGoroutine(func() { loop.Run() })
	}
	if !run.HasEnded() {
		t.Fatal("the run hasn't ended")
	}
	e := wantCode(t, run.Result(), fault.InternalError)
	if len(e.Secondary) != 1 || !errors.Is(e.Secondary[0], usercode.ErrGoexit) || e.Cause != (quittingStringError{}) {
		t.Errorf("%d secondary errors, want that the goroutine was ended", len(e.Secondary))
	}
}

func TestPanicOfAHandlerIsTheLastError(t *testing.T) {
	inst := new(Activation)
	inner := failOp(errFirst)
	inner.handle = func(*Frame, error) Verdict { panic("the handler") }
	outer := callOp(inst, inner)
	outer.handle = func(*Frame, error) Verdict { return Done }
	if err := runOps(t, inst, outer, execOp(func(f *Frame) Verdict {
		var p *fault.Panic
		if last := f.Run().Last(); !errors.As(last, &p) {
			t.Errorf("the last error is %v, want the panic", last)
		}
		return Done
	})); err != nil {
		t.Error(err)
	}
}

// The cancel is put off because the step is being left when its Resume panics.
func TestCancelThatAPanicOvertakesIsDeliveredOnce(t *testing.T) {
	told := 0
	for at := range 12 {
		loop := tooltest.New(tooltest.WithSeed(1))
		body := callOp(new(Activation), execOp(nil))
		body.resume = func(*Frame) Verdict { panic("the body") }
		inst := new(Activation)
		inst.Init(&Level{Ops: []Op{body}}, nil)
		once := 0
		run := NewRun(inst, &Config{Context: t.Context(), Tool: loop, Watch: func(e Event) {
			if e.Kind == Cancelled {
				once++
			}
		}})
		run.narrow = true
		if err := run.Launch(); err != nil {
			t.Fatal(err)
		}
		for i := 0; !run.HasEnded(); i++ {
			if i == at {
				run.Cancel(nil)
			}
			loop.Step()
		}
		if once > 1 {
			t.Errorf("cancelled before turn %d: told %d times", at, once)
		}
		told += once
	}
	if told == 0 {
		t.Error("no cancel was delivered")
	}
}
