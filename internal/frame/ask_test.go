package frame

import (
	"runtime"
	"slices"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// startWatched starts a run of ops on loop, of which watch is told; the caller drives the loop.
func startWatched(t *testing.T, loop *tooltest.Loop, watch Watch, ops ...Op) *Run {
	t.Helper()
	inst := new(Activation)
	inst.Init(&Level{Ops: ops}, nil)
	run := NewRun(inst, &Config{Context: t.Context(), Tool: loop, Watch: watch})
	if err := run.Launch(); err != nil {
		t.Fatal(err)
	}
	return run
}

func TestWatchOfAHandler(t *testing.T) {
	type told struct {
		kind    EventKind
		outcome fault.Outcome
	}
	label := new(Label)
	for name, c := range map[string]struct {
		handle func(*Frame, error) Verdict
		want   []told // after the error was raised, without the ends of steps and of the run
	}{
		"answers":   {func(*Frame, error) Verdict { return Done }, []told{{Handled, fault.Recovered}}},
		"waits":     {func(f *Frame, _ error) Verdict { return wait(f) }, []told{{Handled, fault.Recovered}, {Suspended, 0}}},
		"is silent": {func(*Frame, error) Verdict { return Silent }, []told{{Handled, fault.Silent}}},
		"fails":     {func(f *Frame, _ error) Verdict { return f.Fail(errSecond) }, []told{{Handled, fault.Replaced}, {Raised, 0}}},
		"leaves its loop": {
			func(f *Frame, _ error) Verdict { return f.Jump(&Jump{Label: label}) },
			[]told{{Handled, fault.Replaced}},
		},
	} {
		inst, loop := new(Activation), tooltest.New()
		handles := failOp(errFirst)
		handles.handle = c.handle
		body, got, raised := callOp(inst, handles), []told(nil), false
		startWatched(t, loop, func(e Event) {
			switch {
			case e.Kind == Raised && !raised:
				raised = true
			case raised && e.Kind != StepEnd && e.Kind != RunEnd:
				got = append(got, told{e.Kind, e.Outcome})
			}
		}, &testOp{loop: true, exec: body.exec, resume: func(f *Frame) Verdict { f.Landed(); return Done }})
		loop.Run()
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: told of %v, want %v", name, got, c.want)
		}
	}
}

// E4: a handler leaves its loop by a break, and the Watch that is told of that ends the goroutine: the break is lost, and
// the error goes on outwards.
func TestGoexitInTheWatchOfABreak(t *testing.T) {
	inst, loop := new(Activation), tooltest.New()
	breaks := failOp(errFirst)
	breaks.handle = func(f *Frame, _ error) Verdict { return f.Jump(&Jump{}) }
	body := callOp(inst, breaks)
	var ends []error
	run := startWatched(t, loop, func(e Event) {
		switch e.Kind {
		case Handled:
			runtime.Goexit()
		case StepEnd:
			ends = append(ends, e.Err)
		default:
		}
	}, &testOp{loop: true, exec: body.exec})
	onGoroutine(func() { loop.Run() })
	loop.Run()
	wantCode(t, run.Result(), "First")
	if !slices.Equal(ends, []error{errFirst, errFirst}) {
		t.Errorf("the steps have ended with %v", ends)
	}
}
