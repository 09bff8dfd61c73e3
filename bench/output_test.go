package bench

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// outputs: a body on a goroutine of its own sends n values before it ends, and the caller adds them. A send waits until the value
// is taken, and ends early if the caller stops reading.
//
// The column channel does less: its values don't carry the number of an attempt, and a send doesn't wait until the caller has
// handled the value.
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
