package bench

import (
	"testing"

	"github.com/futoin-go/asyncsteps/step"
)

// Wait: n times, one after the other, be suspended until somebody else on the
// same thread of work gives the next number.
//
// The steps of asyncsteps wait for a callback that they have queued on their
// loop. The goroutines hand the number to each other over unbuffered channels:
// at each handoff one is suspended and the other is woken, so n handoffs are n
// waits.
var wait = row{
	sizes: []int{2, 16},
	want:  same,
	columns: []column{
		ours(func(n int) number { return times(n, step.New(newWaiter().wait)) }),
		peer("goroutine", func(tb testing.TB, n int) operation {
			ping, pong := make(chan int), make(chan int)
			tb.Cleanup(func() { close(ping) })
			go func() {
				for v := range ping {
					pong <- v + 1
				}
			}()
			return func() (int, error) {
				v := 0
				for range n / 2 {
					ping <- v
					v = <-pong + 1
				}
				return v, nil
			}
		}),
	},
}

// waiter is what steps that wait share. Its functions are made once, so that
// they cost nothing in the loop of a benchmark; one step may wait at a time.
type waiter struct {
	done     step.Done[int]
	v        int
	complete func()
	keep     func(done step.Done[int])
}

func newWaiter() *waiter {
	w := new(waiter)
	w.complete = func() { w.done.Succeed(w.v + 1) }
	w.keep = func(done step.Done[int]) { w.done = done }
	return w
}

// wait suspends a step until the next turn of its loop adds one to v.
func (w *waiter) wait(as step.Scope, v int) step.Next[int] {
	w.v = v
	if _, err := as.Loop().Immediate(w.complete); err != nil {
		return step.Fail[int](err)
	}
	return step.Wait(as, w.keep)
}

func BenchmarkWait(b *testing.B) { wait.bench(b) }
