package frame

import (
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

// E3, E4: an error that a handler has recovered takes with it what it met: the
// next error of the strand has nothing to do with that.
func TestRecoveredErrorIsForgotten(t *testing.T) {
	meets := &scripted{
		exec: func(f *Frame) Verdict {
			f.SetCancel(func() { offend(f) })
			return f.Fail(errFirst)
		},
		handle: func(f *Frame, err error) Verdict {
			if e, ok := err.(*fault.Error); !ok || len(e.Secondary) != 1 {
				t.Errorf("the handler has got %v, want a secondary error in it", err)
			}
			return Done
		},
	}
	if e := coded(t, play(t, new(Instance), meets, fails(errSecond)), "Second"); len(e.Secondary) != 0 {
		t.Errorf("secondary errors of a recovered one: %v", e.Secondary)
	}
}

// E3, L3: the violation that a break outside of any loop is made is the last
// error, as any other.
func TestLostBreakIsTheLastError(t *testing.T) {
	err := play(t, new(Instance), &scripted{
		exec: func(f *Frame) Verdict { return f.Fail(&Signal{}) },
		handle: func(f *Frame, err error) Verdict {
			if last := f.Run().Last(); last != err || fault.CodeOf(last) != fault.InternalError {
				t.Errorf("the last error is %v, want %v", last, err)
			}
			return Done
		},
	})
	if err != nil {
		t.Error(err)
	}
}
