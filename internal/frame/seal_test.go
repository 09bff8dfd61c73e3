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
		steps := []Op{does(func(*Frame) Verdict { close(started); return Done }), does(nil), does(nil)}
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
	inst.Init(&Level{Ops: []Op{does(nil)}}, nil)
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
