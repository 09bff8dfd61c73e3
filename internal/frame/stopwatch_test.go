package frame

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// A stopwatch begins at the end of the turn in which it was started, or when somebody asks for the loop.
func TestStopwatchBegins(t *testing.T) {
	for name, c := range map[string]struct {
		begin func(*Run)
		want  time.Duration
	}{
		"at the end of the turn": {func(*Run) {}, 3 * time.Second},
		"with the loop":          {func(r *Run) { r.Host() }, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				loop, wait := tool.NewManual(tool.Options{}), &repeatedWait{left: 1}
				var w Stopwatch
				var took time.Duration
				run := startRun(t, loop, new(Activation), &testOp{
					exec: func(f *Frame) Verdict {
						w.Start(f.Run())
						c.begin(f.Run())
						time.Sleep(2 * time.Second)
						return wait.Exec(f)
					},
					resume: func(f *Frame) Verdict {
						v := wait.Resume(f)
						w.Stop(f.Run())
						took = w.Since(f.Run())
						return v
					},
				})
				iterate(loop)
				time.Sleep(3 * time.Second)
				completeElsewhere(&wait.slot, wait.gen.Load())
				iterate(loop)
				if !run.HasEnded() || took != c.want || !w.Lasted() {
					t.Errorf("ended: %t; it took %v, want %v; lasted: %t", run.HasEnded(), took, c.want, w.Lasted())
				}
			})
		})
	}
}

// A stopwatch that has begun in the middle of a turn, and is stopped in that turn, hasn't lasted.
func TestStopwatchWithoutAWait(t *testing.T) {
	loop := tool.NewManual(tool.Options{})
	run := startRun(t, loop, new(Activation), execOp(func(f *Frame) Verdict {
		r := f.Run()
		var w Stopwatch
		for range 2 {
			w.Start(r)
			r.Host()
			r.Host()
			w.Stop(r)
			if w.entry.ends == never || w.Lasted() || r.young != nil {
				t.Errorf("began at %v, lasted: %t, young: %v", w.entry.ends, w.Lasted(), r.young)
			}
		}
		return Done
	}))
	iterate(loop)
	if !run.HasEnded() {
		t.Error("the run hasn't ended")
	}
}

// A stopwatch that is stopped before it has begun has measured nothing, and needs no loop. Limits of that turn stay.
func TestStopwatchOfOneTurn(t *testing.T) {
	inst := new(Activation)
	inst.Init(&Level{Ops: []Op{execOp(func(f *Frame) Verdict {
		r := f.Run()
		var first, second Stopwatch
		first.Start(r)
		f.SetTimeout(time.Hour)
		second.Start(r)
		for _, w := range []*Stopwatch{&second, &first} {
			if w.Stop(r); w.Since(r) != 0 || w.Lasted() {
				t.Errorf("it took %v, lasted: %t", w.Since(r), w.Lasted())
			}
		}
		if r.young == nil || r.young != f.resources || r.tool != nil {
			t.Errorf("young: %v, want the limit; the loop is %v, want none", r.young, r.tool)
		}
		return Done
	})}}, nil)
	run := NewDriven(t.Context(), inst, nil, 0, nil)
	if run.Turn(); !run.HasEnded() || run.Result() != nil {
		t.Errorf("ended: %t, with %v", run.HasEnded(), run.Result())
	}
}
