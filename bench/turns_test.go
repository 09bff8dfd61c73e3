package bench

import (
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// These rows are loops: an operation is one iteration. Each loop begins once for all iterations.

// Turn: a loop whose body is a plain step. The floor is a loop of Go that calls a function through a pointer.
func BenchmarkTurn(b *testing.B) {
	b.Run("col=asyncsteps", func(b *testing.B) {
		turns(b, step.Func(func(_ step.Scope, t loopx.Iteration[int]) (int, error) { return t.Carry + 1, nil }))
	})
	b.Run("col=floor", func(b *testing.B) {
		f := adds(1)[0]
		result := counted(b)
		result(again(b.N, f))
	})
}

// TurnWait: a loop whose body waits once, for the next turn of the event loop. The goroutine waits for another one, which it
// asks over one unbuffered channel and which answers over another: two handoffs.
func BenchmarkTurnWait(b *testing.B) {
	b.Run("col=asyncsteps", func(b *testing.B) {
		w := NewWaiter()
		turns(b, step.New(func(as step.Scope, t loopx.Iteration[int]) step.Next[int] { return w.Wait(as, t.Carry) }))
	})
	b.Run("col=goroutine", func(b *testing.B) { asks(b, make(chan int)) })
}

// Complete: a loop whose body waits for another goroutine, which is asked first, in both columns over a channel with one place.
// That goroutine completes the step through its Done, or answers over an unbuffered channel.
func BenchmarkComplete(b *testing.B) {
	b.Run("col=asyncsteps", func(b *testing.B) {
		type request struct {
			done step.Done[int]
			v    int
		}
		requests := make(chan request, 1)
		defer close(requests)
		go func() {
			for r := range requests {
				r.done.Succeed(r.v + 1)
			}
		}()
		v := 0
		ask := func(done step.Done[int]) { requests <- request{done, v} }
		turns(b, step.New(func(as step.Scope, t loopx.Iteration[int]) step.Next[int] {
			v = t.Carry
			return step.Wait(as, ask)
		}))
	})
	b.Run("col=goroutine", func(b *testing.B) { asks(b, make(chan int, 1)) })
}

// turns measures b.N iterations of a loop whose body adds one.
func turns(b *testing.B, body step.Step[loopx.Iteration[int], int]) {
	b.Helper()
	loop := loopx.Repeat(b.N, body)
	result := counted(b)
	result(flow.Run(background, loop, 0))
}

// asks measures b.N questions to another goroutine, which adds one.
func asks(b *testing.B, requests chan int) {
	b.Helper()
	defer close(requests)
	answers := make(chan int)
	go func() {
		for v := range requests {
			answers <- v + 1
		}
	}()
	result := counted(b)
	v := 0
	for range b.N {
		requests <- v
		v = <-answers
	}
	result(v, nil)
}

// counted starts the clock. result stops it, and checks that each operation has added one.
func counted(b *testing.B) (result func(v int, err error)) {
	b.Helper()
	b.ReportAllocs()
	report := processors(b)
	b.ResetTimer()
	return func(v int, err error) {
		b.Helper()
		b.StopTimer()
		report(1, "ns/op")
		if v != b.N || err != nil {
			b.Fatal(v, err)
		}
	}
}
