package bench

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/destel/rill"
	"github.com/reugn/go-streams/extension"
	streamsflow "github.com/reugn/go-streams/flow"
	"github.com/samber/ro"
	concstream "github.com/sourcegraph/conc/stream"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

// cheap: n numbers through a function that adds one, and their sum.
//
// floor is a plain loop over the slice that calls the function. asyncsteps moves chunks, ro calls observers, the others
// have channels, with one goroutine for the function.
func cheap(n int) row {
	in := make([]int, n)
	for i := range in {
		in[i] = i
	}
	return row{
		want: func(int) int { return n*(n-1)/2 + n },
		columns: []column{
			peer("asyncsteps", func(testing.TB, int) operation {
				p := stream.Fold(stream.Map(stream.Slice[int](), plusOne), func() int { return 0 }, plus)
				return func() (int, error) { return flow.Run(background, p, in) }
			}),
			peer("floor", func(testing.TB, int) operation {
				return func() (int, error) { return fold(in, plusOne), nil }
			}),
			peer("channels", func(testing.TB, int) operation {
				return func() (int, error) { return sumChannels(in, 1, plusOne), nil }
			}),
			peer("rill", func(testing.TB, int) operation {
				return func() (int, error) {
					sum, _, err := rill.Reduce(rill.OrderedMap(rill.FromSlice(in, nil), 1, func(v int) (int, error) { return v + 1, nil }), 1,
						func(a, b int) (int, error) { return a + b, nil })
					return sum, err
				}
			}),
			peer("ro", func(testing.TB, int) operation {
				return collect(ro.Pipe2(ro.FromSlice(in), ro.Map(plusOne), ro.Reduce(plus, 0)))
			}),
			peer("gostreams", func(testing.TB, int) operation {
				return func() (int, error) { return sumGoStreams(in, 1, plusOne), nil }
			}),
			peer("conc", func(testing.TB, int) operation {
				return func() (int, error) { return sumConc(in, 1, plusOne), nil }
			}),
		},
	}
}

// waiting: n numbers, each of which waits a millisecond, a thousand at a time, and their sum. channels and gostreams don't keep the
// order of the numbers, the other columns do.
//
// In the column asyncsteps they wait without goroutines, and the stage holds as many more; in unbuffered it holds no more; in await
// they wait on as many goroutines as in the other columns. ro has no column, because it has no bound.
func waiting(n int) row {
	const bound = 1000
	in := make([]int, n)
	for i := range in {
		in[i] = i
	}
	waits := func(v int) int {
		time.Sleep(time.Millisecond)
		return v
	}
	return row{
		want: func(int) int { return n * (n - 1) / 2 },
		columns: []column{
			peer("asyncsteps", func(testing.TB, int) operation {
				b := stream.Bound{Limit: bound, Buffer: bound}
				p := stream.Fold(stream.Through(stream.Slice[int](), b, step.Delay[int](time.Millisecond)), func() int { return 0 }, plus)
				return func() (int, error) { return flow.Run(background, p, in) }
			}),
			peer("unbuffered", func(testing.TB, int) operation {
				b := stream.Bound{Limit: bound}
				p := stream.Fold(stream.Through(stream.Slice[int](), b, step.Delay[int](time.Millisecond)), func() int { return 0 }, plus)
				return func() (int, error) { return flow.Run(background, p, in) }
			}),
			peer("await", func(testing.TB, int) operation {
				p := stream.Fold(stream.Await(stream.Slice[int](), stream.Bound{Limit: bound, Buffer: bound}, func(_ context.Context, v int) (int, error) {
					return waits(v), nil
				}), func() int { return 0 }, plus)
				return func() (int, error) { return flow.Run(background, p, in) }
			}),
			peer("channels", func(testing.TB, int) operation {
				return func() (int, error) { return sumChannels(in, bound, waits), nil }
			}),
			peer("rill", func(testing.TB, int) operation { return func() (int, error) { return sumRill(in, bound, waits) } }),
			peer("gostreams", func(testing.TB, int) operation {
				return func() (int, error) { return sumGoStreams(in, bound, waits), nil }
			}),
			peer("conc", func(testing.TB, int) operation {
				return func() (int, error) { return sumConc(in, bound, waits), nil }
			}),
		},
	}
}

// busy: n numbers, each of which keeps a processor busy for some microseconds, on two goroutines, and their sum. The floor has one
// goroutine. channels and gostreams don't keep the order of the numbers, the other columns do.
func busy(n int) row {
	in := make([]int, n)
	for i := range in {
		in[i] = i
	}
	return row{
		want: func(int) int { return fold(in, spin) },
		columns: []column{
			peer("asyncsteps", func(testing.TB, int) operation {
				b := stream.Bound{Limit: 2, Buffer: 512}
				p := stream.Fold(stream.Await(stream.Slice[int](), b, func(_ context.Context, v int) (int, error) {
					return spin(v), nil
				}), func() int { return 0 }, plus)
				return func() (int, error) { return flow.Run(background, p, in) }
			}),
			peer("floor", func(testing.TB, int) operation { return func() (int, error) { return fold(in, spin), nil } }),
			peer("channels", func(testing.TB, int) operation {
				return func() (int, error) { return sumChannels(in, 2, spin), nil }
			}),
			peer("rill", func(testing.TB, int) operation { return func() (int, error) { return sumRill(in, 2, spin) } }),
			peer("gostreams", func(testing.TB, int) operation {
				return func() (int, error) { return sumGoStreams(in, 2, spin), nil }
			}),
			peer("conc", func(testing.TB, int) operation {
				return func() (int, error) { return sumConc(in, 2, spin), nil }
			}),
		},
	}
}

func plusOne(v int) int { return v + 1 }

func plus(a, b int) int { return a + b }

func spin(v int) int {
	x := uint32(v)
	for range 2000 {
		x = x*1664525 + 1013904223
	}
	return int(x)
}

//go:noinline
func fold(in []int, f func(int) int) (sum int) {
	for _, v := range in {
		sum += f(v)
	}
	return sum
}

// sumChannels sums with plain channels: one feeds n goroutines, which answer on another. It doesn't keep the order.
func sumChannels(in []int, n int, f func(int) int) (sum int) {
	work, done := make(chan int, 64), make(chan int, 64)
	var g sync.WaitGroup
	for range n {
		g.Go(func() {
			for v := range work {
				done <- f(v)
			}
		})
	}
	go func() {
		for _, v := range in {
			work <- v
		}
		close(work)
		g.Wait()
		close(done)
	}()
	for v := range done {
		sum += v
	}
	return sum
}

func sumRill(in []int, n int, f func(int) int) (sum int, err error) {
	mapped := rill.OrderedMap(rill.FromSlice(in, nil), n, func(v int) (int, error) { return f(v), nil })
	err = rill.ForEach(mapped, 1, func(v int) error {
		sum += v
		return nil
	})
	return sum, err
}

// sumGoStreams doesn't keep the order.
func sumGoStreams(in []int, n int, f func(int) int) (sum int) {
	source, sink := make(chan any, 64), make(chan any, 64)
	go func() {
		for _, v := range in {
			source <- v
		}
		close(source)
	}()
	go extension.NewChanSource(source).Via(streamsflow.NewMap(f, n)).To(extension.NewChanSink(sink))
	for v := range sink {
		sum += v.(int)
	}
	return sum
}

func sumConc(in []int, n int, f func(int) int) (sum int) {
	s := concstream.New().WithMaxGoroutines(n)
	for _, v := range in {
		s.Go(func() concstream.Callback {
			v := f(v)
			return func() { sum += v }
		})
	}
	s.Wait()
	return sum
}

func BenchmarkStreamCheap(b *testing.B) { cheap(10_000_000).bench(b) }

func BenchmarkStreamWaiting(b *testing.B) { waiting(100_000).bench(b) }

func BenchmarkStreamBusy(b *testing.B) { busy(50_000).bench(b) }

// StreamMemory: the largest amount of memory in use, of heap and stacks, while a thousand numbers wait and many more come.
func BenchmarkStreamMemory(b *testing.B) { waiting(20_000).peak(b) }

// StreamStop: the time from a cancel until a stream in which a thousand elements wait for an hour has ended, and all its goroutines
// with it.
func BenchmarkStreamStop(b *testing.B) {
	endless := func(yield func(int) bool) {
		for i := 0; yield(i); i++ {
		}
	}
	b.Run("col=asyncsteps", func(b *testing.B) {
		waits := flow.Then(step.Delay[int](time.Hour), step.Map(plusOne))
		p := stream.Count(stream.Through(stream.Seq[int](), stream.Bound{Limit: 1000}, waits))
		stopping(b, func(ctx context.Context) { _, _ = flow.Run(ctx, p, endless) })
	})
	b.Run("col=channels", func(b *testing.B) {
		stopping(b, func(ctx context.Context) {
			work := make(chan int)
			var g sync.WaitGroup
			for range 1000 {
				g.Go(func() {
					for range work {
						t := time.NewTimer(time.Hour)
						select {
						case <-t.C:
						case <-ctx.Done():
							t.Stop()
							return
						}
					}
				})
			}
			for i := range endless {
				select {
				case work <- i:
					continue
				case <-ctx.Done():
				}
				break
			}
			close(work) // on a busy machine some still wait for their first number
			g.Wait()
		})
	})
}

func stopping(b *testing.B, run func(context.Context)) {
	b.Helper()
	var took time.Duration
	for b.Loop() {
		ctx, cancel := context.WithCancel(background)
		done := make(chan struct{})
		go func() {
			run(ctx)
			close(done)
		}()
		time.Sleep(5 * time.Millisecond)
		began := time.Now()
		cancel()
		<-done
		took += time.Since(began)
	}
	b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "stop-ns")
}
