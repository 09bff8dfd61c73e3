package loopx_test

import (
	"errors"
	"iter"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// sequence returns an iterator from 0 to n-1 that records each pull, and its end.
func (rec *recorder) sequence(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer rec.Recordf("stopped")
		for i := range n {
			rec.Recordf("pulled %d", i)
			if !yield(i) {
				return
			}
		}
	}
}

func TestEachSeq(t *testing.T) {
	t.Run("elements in order, with their number", func(t *testing.T) {
		plantest.WantResult(t, loopx.EachSeq(spell[int, string]()), slices.Values([]string{"a", "b"}), "0=a 1=b ")
	})

	t.Run("of no elements, and of nil, the zero value", func(t *testing.T) {
		p := loopx.EachSeq(spell[int, string]())
		plantest.WantResult(t, p, slices.Values([]string(nil)), "")
		plantest.WantResult(t, p, slices.Values([]string{"a"}), "0=a ")
		plantest.WantResult(t, p, nil, "")
	})
}

func TestEachSeq2(t *testing.T) {
	t.Run("pairs in order", func(t *testing.T) {
		plantest.WantResult(t, loopx.EachSeq2(spell[string, int]()), maps.All(map[string]int{"k": 1}), "k=1 ")
	})

	t.Run("of no elements, and of nil, the zero value", func(t *testing.T) {
		p := loopx.EachSeq2(spell[int, string]())
		plantest.WantResult(t, p, slices.All([]string{"a"}), "0=a ")
		plantest.WantResult(t, p, nil, "")
	})
}

// An iterator computes an element when its iteration begins, and is stopped however the loop ends.
func TestIteratorsArePulledLazilyAndStopped(t *testing.T) {
	const endless = 1 << 30
	type item = loopx.Item[int, int, int]
	forms := map[string]func(rec *recorder, n int, body step.Step[item, int]) step.Step[int, int]{
		"EachSeq": func(rec *recorder, n int, body step.Step[item, int]) step.Step[int, int] {
			return flow.Then(flow.Value[int](rec.sequence(n)), loopx.EachSeq(body))
		},
		"EachSeq2": func(rec *recorder, n int, body step.Step[item, int]) step.Step[int, int] {
			return flow.Then(flow.Value[int](iter.Seq2[int, int](func(yield func(int, int) bool) {
				for i := range rec.sequence(n) {
					if !yield(i, i) {
						return
					}
				}
			})), loopx.EachSeq2(body))
		},
	}
	outer := loopx.NewLabel[int]("OUTER")
	for _, tt := range []struct {
		way   string
		n     int
		in    func(rec *recorder, s step.Step[int, int]) step.Step[int, int] // puts the loop into something
		turn  func(as step.Scope, it item) step.Next[int]                    // goes on after a wait of a minute
		later func(run *flow.Running[int])                                   // is called after 90 seconds
		want  fault.Code
		lines []string
	}{
		{
			way: "exhaustion", n: 2,
			lines: []string{"pulled 0", "turn 0", "pulled 1", "turn 1", "stopped"},
		},
		{
			way: "break", n: endless,
			turn:  func(step.Scope, item) step.Next[int] { return loopx.Break[int]() },
			lines: []string{"pulled 0", "turn 0", "stopped"},
		},
		{
			way: "break of an outer loop", n: endless,
			in: func(_ *recorder, s step.Step[int, int]) step.Step[int, int] {
				return loopx.Labelled(outer, loopx.Loop(s))
			},
			turn:  func(step.Scope, item) step.Next[int] { return loopx.BreakTo[int](outer, 0) },
			lines: []string{"pulled 0", "turn 0", "stopped"},
		},
		{
			way: "error, before handlers outside", n: endless,
			in:    (*recorder).recordError,
			turn:  func(step.Scope, item) step.Next[int] { return step.Fail[int](errTurn) },
			want:  errTurn.Code,
			lines: []string{"pulled 0", "turn 0", "stopped", "handler: Turn"},
		},
		{
			way: "panic", n: endless,
			turn:  func(step.Scope, item) step.Next[int] { panic(errTurn) },
			want:  fault.InternalError,
			lines: []string{"pulled 0", "turn 0", "stopped"},
		},
		{
			way: "timeout", n: endless,
			in: func(_ *recorder, s step.Step[int, int]) step.Step[int, int] {
				return flow.Timeout(90*time.Second, s)
			},
			want:  fault.Timeout,
			lines: []string{"pulled 0", "turn 0", "pulled 1", "stopped"},
		},
		{
			way: "cancel", n: endless,
			later: func(run *flow.Running[int]) { run.Cancel(nil) },
			want:  fault.Cancelled,
			lines: []string{"pulled 0", "turn 0", "pulled 1", "stopped"},
		},
	} {
		for form, looped := range forms {
			t.Run(form+" "+tt.way, func(t *testing.T) {
				var rec recorder
				s := looped(&rec, tt.n, flow.Then(minute, step.New(func(as step.Scope, it item) step.Next[int] {
					rec.Recordf("turn %d", it.Value)
					if tt.turn != nil {
						return tt.turn(as, it)
					}
					return step.Succeed(0)
				})))
				if tt.in != nil {
					s = tt.in(&rec, s)
				}
				l, run := plantest.Start(t, s, 0)
				if tt.later != nil {
					_, _ = l.Deferred(90*time.Second, func() { tt.later(run) })
				}
				_, err := plantest.Wait(t, l, run)
				plantest.WantCode(t, err, tt.want)
				rec.Want(t, tt.lines...)
			})
		}
	}
}

var minute = step.New(func(as step.Scope, it loopx.Item[int, int, int]) step.Next[loopx.Item[int, int, int]] {
	return step.Wait(as, func(done step.Done[loopx.Item[int, int, int]]) {
		_, _ = as.Loop().Deferred(time.Minute, func() { done.Succeed(it) })
	})
})

// E4: if the iterator panics, the step of the loop fails as if its body had panicked.
func TestIteratorPanics(t *testing.T) {
	body := step.Map(func(it loopx.Item[int, int, int]) int { return it.Carry + 1 })
	t.Run("while it is pulled", func(t *testing.T) {
		var broken iter.Seq[int] = func(yield func(int) bool) {
			yield(1)
			panic(errTurn)
		}
		_, err := plantest.Run(t, loopx.EachSeq(body), broken)
		plantest.WantCode(t, err, fault.InternalError)
		if !errors.Is(err, errTurn) {
			t.Errorf("%v should keep the cause", err)
		}
	})

	t.Run("while it is stopped", func(t *testing.T) {
		var broken iter.Seq[int] = func(yield func(int) bool) {
			yield(1)
			panic(errTurn)
		}
		stops := step.New(func(step.Scope, loopx.Item[int, int, int]) step.Next[int] { return loopx.Break[int]() })
		_, err := plantest.Run(t, loopx.EachSeq(stops), broken)
		plantest.WantCode(t, err, fault.InternalError)
		if !errors.Is(err, errTurn) {
			t.Errorf("got %v", err)
		}
	})
}
