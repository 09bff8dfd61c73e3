package loopx_test

import (
	"context"
	"iter"
	"runtime"
	"testing"
	"weak"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// A run of a loop keeps nothing of its collection, although the memory of loops is pooled.
func TestPooledLoopsRetainNothing(t *testing.T) {
	type big [1 << 16]byte
	seen := func(int, *big) int { return 1 }
	for name, run := range map[string]func(element *big) error{
		"Each": running(loopx.Each(taken[int](seen)), func(e *big) []*big { return []*big{e} }),
		"EachMap": running(loopx.EachMap(taken[int](seen)), func(e *big) map[int]*big {
			return map[int]*big{1: e}
		}),
		"EachSeq": running(loopx.EachSeq(taken[int](seen)), func(e *big) iter.Seq[*big] {
			return func(yield func(*big) bool) { yield(e) }
		}),
		"EachSeq2": running(loopx.EachSeq2(taken[int](seen)), func(e *big) iter.Seq2[int, *big] {
			return func(yield func(int, *big) bool) { yield(1, e) }
		}),
	} {
		element := new(big)
		ref := weak.Make(element)
		if err := run(element); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		runtime.GC() // once, because the second collection would empty the pools
		if ref.Value() != nil {
			t.Errorf("%s keeps its element", name)
		}
	}
}

func taken[K, V any](fn func(K, V) int) step.Step[loopx.Item[K, V, int], int] {
	return step.Map(func(it loopx.Item[K, V, int]) int { return it.Carry + fn(it.Key, it.Value) })
}

func running[C, V any](loop step.Step[C, int], of func(V) C) func(V) error {
	return func(element V) error {
		_, err := flow.Run(context.Background(), loop, of(element))
		return err
	}
}
