package bench

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// outputs: a body on a goroutine of its own sends n values before it ends, and the caller adds them. The body goes on when its
// value was taken, and learns when the caller has gone.
//
// An unbuffered channel doesn't tell which attempt a value comes from, and nobody waits for what the caller does with a value.
var outputs = row{
	sizes: []int{1, 100},
	want:  same,
	columns: []column{
		{name: "asyncsteps", build: func(_ testing.TB, n int) operation {
			ones := flow.NewOutput[int]("ones")
			body := step.Do(func(ctx context.Context, _ int) error {
				for range n {
					if err := ones.Send(ctx, 1); err != nil {
						return err
					}
				}
				return nil
			})
			return func() (sum int, err error) {
				run := flow.RunOutput(background, ones, body, 0)
				for one := range run.All() {
					sum += one
				}
				_, err = run.Result()
				return sum, err
			}
		}},
		{name: "channel", build: func(_ testing.TB, n int) operation {
			return func() (sum int, err error) {
				ctx, cancel := context.WithCancel(background)
				defer cancel()
				ones := make(chan int)
				go func() {
					defer close(ones)
					for range n {
						select {
						case ones <- 1:
						case <-ctx.Done():
							return
						}
					}
				}()
				for one := range ones {
					sum += one
				}
				return sum, nil
			}
		}},
	},
}

func BenchmarkOutput(b *testing.B) { outputs.bench(b) }
