package frame

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// C1, O6: if a cancel comes just when the run ends, it either returns true and the run ends as cancelled, or returns
// false and the run ends with its value.
func TestCancelRacesWithTheEnd(t *testing.T) {
	const rounds = 2000
	loop := tool.Start(tool.Options{})
	defer loop.Shutdown(context.Background())
	promised, refused := 0, 0
	for range rounds {
		inst, ended, started := new(Activation), make(chan struct{}), make(chan struct{})
		steps := []Op{execOp(func(*Frame) Verdict { close(started); return Done }), execOp(nil), execOp(nil)}
		inst.Init(&Level{Ops: steps}, nil)
		run := NewRun(inst, &Config{
			Context: context.Background(), Tool: loop,
			Owner: Ended(func(*Run) { close(ended) }),
		})
		if err := run.Launch(); err != nil {
			t.Fatal(err)
		}
		<-started
		first := run.Cancel(nil)
		second := run.Cancel(nil)
		<-ended
		if second && !first {
			t.Fatal("the second cancel was promised, the first wasn't")
		}
		if run.Cancel(nil) {
			t.Fatal("a cancel was promised after the end")
		}
		if was := errors.Is(run.Result(), fault.Cancelled); was != first {
			t.Fatalf("Cancel has reported %t, and the result is %v", first, run.Result())
		}
		if first {
			promised++
		} else {
			refused++
		}
	}
	t.Logf("%d promised, %d refused", promised, refused)
}

// O6: if a Watch ends the goroutine at the end of a run, the run can't be cancelled then, nor after that.
func TestGoexitAtTheEndStaysTooLateToCancel(t *testing.T) {
	loop, inst := tooltest.New(), new(Activation)
	inst.Init(&Level{Ops: []Op{execOp(nil)}}, nil)
	ended := false
	var run *Run
	run = NewRun(inst, &Config{
		Context: context.Background(), Tool: loop,
		Owner: Ended(func(*Run) { ended = true }),
		Watch: func(e Event) {
			if e.Kind == RunEnd {
				if run.Cancel(nil) {
					t.Error("a cancel was promised at the end")
				}
				runtime.Goexit()
			}
		},
	})
	if err := run.Launch(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		loop.Run()
	}()
	<-gone
	if ended || run.Cancel(nil) {
		t.Errorf("the owner was told is %t; or a cancel was promised", ended)
	}
	if loop.Run(); !ended || run.Result() != nil {
		t.Errorf("the owner was told is %t, the result is %v", ended, run.Result())
	}
}

// O6: a cancel in the last step counts. When the run has ended it refuses another one. That holds for a run that only
// its caller knows, too.
func TestEndedRunRefusesACancel(t *testing.T) {
	for _, early := range []bool{false, true} {
		last := execOp(func(f *Frame) Verdict {
			if early && !f.Run().Cancel(nil) {
				t.Error("a cancel in the last step is refused")
			}
			return Done
		})
		for name, ends := range map[string]func() *Run{
			"alone": func() *Run {
				inst := new(Activation)
				inst.Init(&Level{Ops: []Op{last}}, nil)
				run := NewDriven(t.Context(), inst, nil, 0, nil)
				run.Turn()
				return run
			},
			"in its first turn": func() *Run {
				loop := tooltest.New()
				run := startRun(t, loop, new(Activation), last)
				loop.Run()
				return run
			},
			"after a wait": func() *Run {
				loop, op := tooltest.New(), &repeatedWait{left: 1}
				run := startRun(t, loop, new(Activation), op, last)
				loop.Run()
				completeElsewhere(&op.slot, op.gen.Load())
				if n := loop.Run(); n != 1 {
					t.Errorf("cancelled: %t; %d turns after the wait, want one", early, n)
				}
				return run
			},
		} {
			run := ends()
			if is := errors.Is(run.Result(), fault.Cancelled); !run.HasEnded() || is != early || run.Cancel(nil) {
				t.Errorf("%s, cancelled: %t; ended is %t, with %v, or can be cancelled", name, early, run.HasEnded(), run.Result())
			}
			if run.tool != nil && run.alert.Load() != sealed {
				t.Errorf("%s, cancelled: %t; a goroutine that cancels may miss the end", name, early)
			}
		}
	}
}
