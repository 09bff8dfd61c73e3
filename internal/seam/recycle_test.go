package seam

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// nothing is a step that does nothing.
type nothing struct{ frame.Leaf }

func (nothing) Exec(*frame.Frame) frame.Verdict { return frame.Done }

// counted is a stage that counts how often memory is made for it.
func counted(made *int) *Stage[int, int] {
	var n *Node
	n = NewNode[int, int]("counted", 0, func(e *Emitter) {
		*made++
		e.Op(&n.Info, nothing{})
	})
	return NewStage[int, int](n)
}

// The memory of a run serves the next one, however the run has ended. Under the
// race detector a pool loses a part of what it is given.
func TestMemoryOfRunsIsUsedAgain(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	loop, closed := tooltest.New(), tool.NewManual(tool.Options{})
	if err := closed.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		run  func(*Stage[int, int]) error
		want fault.Code
	}{
		"driven by its caller": {run: func(s *Stage[int, int]) error {
			_, err := Run(context.Background(), s, 1)
			return err
		}},
		"on a loop": {run: func(s *Stage[int, int]) error {
			var x Future[int]
			Start(context.Background(), loop, s, 1, &x)
			loop.Run()
			_, err, _ := x.Result()
			return err
		}},
		"cancelled": {want: fault.Cancelled, run: func(s *Stage[int, int]) error {
			var x Future[int]
			Start(context.Background(), loop, s, 1, &x)
			x.Cancel(nil)
			loop.Run()
			_, err, _ := x.Result()
			return err
		}},
		"refused by its loop": {want: fault.CodeOf(tool.ErrShutdown), run: func(s *Stage[int, int]) error {
			var x Future[int]
			Start(context.Background(), closed, s, 1, &x)
			_, err, _ := x.Result()
			return err
		}},
		"refused by its context": {want: fault.Cancelled, run: func(s *Stage[int, int]) error {
			_, err := Run(ended, s, 1)
			return err
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			const runs = 200
			made := 0
			s := counted(&made)
			for range runs {
				if err := test.run(s); fault.CodeOf(err) != test.want {
					t.Fatalf("ended with %v, want %q", err, test.want)
				}
			}
			if made > runs/2 {
				t.Errorf("memory was made %d times for %d runs", made, runs)
			}
		})
	}
}

// Lanes that are too many to keep are let go after each run.
func TestManyLanesAreNotKept(t *testing.T) {
	var made int
	in := make([]int, kept+1)
	all := Each(0, len(in), counted(&made))
	allocs := testing.AllocsPerRun(5, func() {
		if out, err := Run(context.Background(), all, in); err != nil || len(out) != len(in) {
			t.Errorf("%d results, %v", len(out), err)
		}
	})
	if allocs < kept {
		t.Errorf("%v allocations a run, want one a lane at least", allocs)
	}
}
