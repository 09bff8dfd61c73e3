package bench

import (
	"testing"

	"github.com/futoin-go/asyncsteps/step"
)

// Wait: wait for the next number from another callback or goroutine, n times one after the other.
//
// The steps of asyncsteps wait for a callback that they have queued on their loop. The goroutines hand the number to each other over
// unbuffered channels: at each handoff one is suspended and the other is woken, so n handoffs are n waits.
var wait = row{
	sizes: []int{2, 16},
	want:  same,
	columns: []column{
		ours(waits),
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

func waits(n int) number { return times(n, step.New(NewWaiter().Wait)) }

func BenchmarkWait(b *testing.B) { wait.bench(b) }
