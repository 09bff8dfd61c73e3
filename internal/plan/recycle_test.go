package plan

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type nothing struct{ frame.Leaf }

func (nothing) Exec(*frame.Frame) frame.Verdict { return frame.Done }

// unshared is a type of the tests in this package alone, so that plans of others don't use the memory of these levels.
type unshared int

// counted returns a stage that counts how often memory is made for it.
func counted(made *int) *Stage[unshared, unshared] {
	s := only(nothing{})
	m := programOf(&s.source).level.Memory
	take := m.New
	m.New = func() *frame.Activation {
		*made++
		return take()
	}
	return s
}

// resultOf returns the error of x, which must have ended, and must not refer to its run, whose memory others use.
func resultOf(t *testing.T, x *Future[unshared]) error {
	t.Helper()
	_, err, ok := x.Result()
	if !ok || x.run != nil {
		t.Fatalf("it has ended: %t, and refers to the run %v", ok, x.run)
	}
	return err
}

// The memory of a run is used for the next one, however the run has ended. With the race detector a pool drops some of
// it.
func TestMemoryOfRunsIsUsedAgain(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	loop, closed := tooltest.New(), tool.NewManual(tool.Options{})
	if err := closed.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		run  func(*Stage[unshared, unshared]) error
		want fault.Code
	}{
		"driven by its caller": {run: func(s *Stage[unshared, unshared]) error {
			_, err := Run(context.Background(), s, 1)
			return err
		}},
		"on a loop": {run: func(s *Stage[unshared, unshared]) error {
			var x Future[unshared]
			Start(context.Background(), loop, s, 1, &x)
			loop.Run()
			return resultOf(t, &x)
		}},
		"cancelled": {want: fault.Cancelled, run: func(s *Stage[unshared, unshared]) error {
			var x Future[unshared]
			Start(context.Background(), loop, s, 1, &x)
			x.Cancel(nil)
			loop.Run()
			return resultOf(t, &x)
		}},
		"refused by its loop": {want: fault.CodeOf(tool.ErrShutdown), run: func(s *Stage[unshared, unshared]) error {
			var x Future[unshared]
			Start(context.Background(), closed, s, 1, &x)
			return resultOf(t, &x)
		}},
		"refused by its context": {want: fault.Cancelled, run: func(s *Stage[unshared, unshared]) error {
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
