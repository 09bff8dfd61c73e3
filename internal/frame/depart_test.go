package frame

import (
	"runtime"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// quittingError is an error. If quits is set, it ends the goroutine once when it is asked for its text.
type quittingError struct{ quits bool }

func (e *quittingError) Error() string {
	if e.quits {
		e.quits = false
		runtime.Goexit()
	}
	return "abrupt"
}

// P6, E4: an error that a race survives keeps the errors that have joined it. If the race fails, it is a secondary
// error. The race also goes on if the goroutine ends because the error was asked for its text.
func TestSurvivedErrorKeepsWhatJoinedIt(t *testing.T) {
	for _, quits := range []bool{false, true} {
		inst, loop, first := new(Activation), tooltest.New(), new(quittingError)
		k := &Fork{Branches: make([]Branch, 2), race: race{Terms: Terms{Wins: 1, Losses: 1}}}
		k.Branches[0].Enter(level(inst, &testOp{
			exec: func(f *Frame) Verdict {
				f.SetCancel(func() { breakRule(f) })
				return f.Fail(first)
			},
			handle: func(*Frame, error) Verdict { first.quits = quits; return Unhandled },
		}))
		k.Branches[1].Enter(level(inst, failOp(errSecond)))
		run := startRun(t, loop, inst, execOp(func(f *Frame) Verdict { return f.Fork(k) }))
		for range 2 {
			onGoroutine(func() { loop.Run() })
		}
		if !run.HasEnded() || first.quits {
			t.Errorf("quits %t: ended is %t", quits, run.HasEnded())
			continue
		}
		e := wantCode(t, run.Result(), "Second")
		if len(e.Secondary) != 1 {
			t.Errorf("quits %t: the secondary errors are %v, want that of the other branch", quits, e.Secondary)
			continue
		}
		if lost, ok := e.Secondary[0].(*fault.Error); !ok || lost.Cause != error(first) || len(lost.Secondary) != 1 {
			t.Errorf("quits %t: the other branch has lost with %v, want also the rule that it broke", quits, e.Secondary[0])
		}
	}
}
