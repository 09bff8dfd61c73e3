package frame

import (
	"context"
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

// Within wraps an error that has passed a level of its run. Any other stays as it is.
func TestWithin(t *testing.T) {
	inst := new(Activation)
	began := runOps(t, inst, failOp(errFirst))
	if got := Within(began, false); got == began {
		t.Error("a run that has begun: the error is taken for one of the step itself")
	}
	refused := error(fault.New(fault.Cancelled, "the loop takes no more work"))
	if got := Within(refused, false); got != refused {
		t.Errorf("a run that hasn't begun: got %T", got)
	}
}

// E3, E6: what a handler gets of the error of a run that the step has waited for: the error that was raised there, or
// that of the run if it says more.
func TestHandlerIsGivenTheErrorOfTheInnerRun(t *testing.T) {
	asked := func(err error) (given error) {
		_ = runOps(t, new(Activation), &testOp{
			exec:   func(f *Frame) Verdict { return f.Fail(Within(err, false)) },
			handle: func(_ *Frame, err error) Verdict { given = err; return Done },
		})
		return given
	}
	if got := asked(runOps(t, new(Activation), failOp(errFirst))); got != error(errFirst) {
		t.Errorf("failed: got %v", got)
	}
	cancelled := runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
		f.Run().Cancel(context.Canceled)
		return wait(f)
	}))
	if got := asked(cancelled); got != cancelled {
		t.Errorf("cancelled: got %v, want %v", got, cancelled)
	}
}

// E4: the errors that an inner run has met on its way are those of the run around it too, and so is the record of its
// events.
func TestInnerErrorKeepsWhatItMet(t *testing.T) {
	inner := wantCode(t, runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
		f.SetCancel(func() { breakRule(f) })
		return f.Fail(errFirst)
	})), "First")
	inner.Record = []fault.Event{{What: "seen"}}
	e := wantCode(t, runOps(t, new(Activation), failOp(Within(inner, false))), "First")
	if len(e.Secondary) != 1 || fault.CodeOf(e.Secondary[0]) != fault.InvalidRequest {
		t.Errorf("secondary errors are %v", e.Secondary)
	}
	if len(e.Record) != 1 || e.Record[0].What != "seen" {
		t.Errorf("the record is %v", e.Record)
	}
}

// C1: of a run that was cancelled because its step is left only what has gone wrong counts.
func TestLate(t *testing.T) {
	plain := errors.New("plain")
	both := &fault.Error{Code: fault.Cancelled, Secondary: []error{plain, errFirst}}
	for name, c := range map[string]struct {
		err  error
		want []error
	}{
		"success":                          {nil, nil},
		"an error of somebody else":        {plain, []error{plain}},
		"failed before":                    {errFirst, []error{errFirst}},
		"cancelled":                        {fault.New(fault.Cancelled, "x"), nil},
		"cancelled, and a hook has failed": {&fault.Error{Code: fault.Cancelled, Secondary: both.Secondary[:1]}, []error{plain}},
		"cancelled, and two hooks have":    {both, []error{plain, errFirst}},
	} {
		got := Late(c.err)
		if (got == nil) != (c.want == nil) {
			t.Errorf("%s: got %v", name, got)
		}
		if errors.Is(got, fault.Cancelled) {
			t.Errorf("%s: the cancel is kept, in %v", name, got)
		}
		for _, want := range c.want {
			if !errors.Is(got, want) {
				t.Errorf("%s: got %v, want %v in it", name, got, want)
			}
		}
	}
}
