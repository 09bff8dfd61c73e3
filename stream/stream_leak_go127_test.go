//go:build go1.27

package stream_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

// endlessSources holds sources with more elements than the test takes.
var endlessSources = map[string]stream.Stream[int, int]{
	"Seq": stream.Input(func(int) iter.Seq[int] { return naturals }, stream.Seq[int]()),
	"Chan": stream.Input(func(int) <-chan int {
		c := make(chan int, 20) // never closed
		for v := range 20 {
			c <- v
		}
		return c
	}, stream.Chan[int](2)),
	"Generate": stream.Generate(2, func(_ context.Context, _ int, yield func(int) bool) error {
		naturals(yield)
		return nil
	}),
	"Lines": stream.Map(stream.Input(func(int) io.Reader {
		return strings.NewReader(strings.Repeat("1\n", 1000))
	}, stream.Lines[io.Reader](2)), number),
	"Records": stream.Map(stream.Input(func(int) io.Reader {
		return strings.NewReader(strings.Repeat("1 ", 1000))
	}, stream.Records[io.Reader](2, bufio.ScanWords)), number),
	"Pages": stream.Pages(step.Await(func(_ context.Context, v int) (stream.Page[int, int], error) {
		return stream.Page[int, int]{Items: []int{v, v}, Next: v + 1, More: true}, nil
	})),
	"Ticks": stream.Map(stream.Ticks[int](time.Microsecond), func(time.Time) int { return 1 }),
}

func naturals(yield func(int) bool) {
	for v := 0; yield(v); v++ {
	}
}

// behind holds operators, most of them with goroutines or coroutines of their own.
var behind = map[string]func(stream.Stream[int, int]) stream.Stream[int, int]{
	"nothing": func(s stream.Stream[int, int]) stream.Stream[int, int] { return s },
	"Await": func(s stream.Stream[int, int]) stream.Stream[int, int] {
		return stream.Await(s, stream.Bound{Limit: 2, Buffer: 3}, func(_ context.Context, v int) (int, error) { return v, nil })
	},
	"Through": func(s stream.Stream[int, int]) stream.Stream[int, int] {
		return stream.Through(s, stream.Bound{Limit: 2}, step.Await(func(_ context.Context, v int) (int, error) { return v, nil }))
	},
	"Partition": func(s stream.Stream[int, int]) stream.Stream[int, int] {
		return stream.Partition(s, stream.Bound{Limit: 2, Buffer: 3}, parity,
			step.Await(func(_ context.Context, v int) (int, error) { return v, nil }))
	},
	"Expand": func(s stream.Stream[int, int]) stream.Stream[int, int] {
		return stream.Expand(s, func(int) iter.Seq[int] { return naturals })
	},
	"FlatMap": func(s stream.Stream[int, int]) stream.Stream[int, int] {
		return stream.FlatMap(s, stream.Bound{Limit: 2}, endlessSources["Generate"])
	},
	"Merge": func(s stream.Stream[int, int]) stream.Stream[int, int] {
		return stream.Merge(s, endlessSources["Generate"])
	},
}

// endings holds sinks, most of them with goroutines that wait for the stream or for a receiver.
var endings = map[string]func(stream.Stream[int, int]) step.Step[int, int]{
	"Count": func(s stream.Stream[int, int]) step.Step[int, int] { return stream.Count(s) },
	"Consume": func(s stream.Stream[int, int]) step.Step[int, int] {
		return stream.Consume(s, 2, func(_ context.Context, _ int, all iter.Seq[int]) (n int, _ error) {
			for range all {
				n++
			}
			return n, nil
		})
	},
	"Send": func(s stream.Stream[int, int]) step.Step[int, int] {
		return stream.Send(s, 2, func(int) chan<- int { return make(chan int, 8) }) // never received
	},
	"Write": func(s stream.Stream[int, int]) step.Step[int, int] {
		write := stream.Write(stream.Map(s, strconv.Itoa), 2, func(int) io.Writer { return io.Discard })
		return flow.Then(write, step.Map(func(n int64) int { return int(n) }))
	},
	"Broadcast": func(s stream.Stream[int, int]) step.Step[int, int] {
		send := stream.Send(fed, 2, func(feed) chan<- int { return make(chan int, 8) })
		return flow.Then(stream.Broadcast(s, 2, stream.Count(fed), send), step.Map(func(n []int) int { return n[0] }))
	},
	"All": func(s stream.Stream[int, int]) step.Step[int, int] {
		return step.Await(func(ctx context.Context, n int) (int, error) {
			for _, err := range stream.All(ctx, s, n) {
				if err != nil {
					return 0, err
				}
			}
			return n, nil
		})
	},
}

// However a stream ends, none of its goroutines waits for ever.
func TestNoGoroutineLeaks(t *testing.T) {
	before := leaked(t)
	for from, source := range endlessSources {
		for by, operator := range behind {
			for to, sink := range endings {
				ctx, cancel := context.WithCancel(t.Context())
				n := 0
				third := func(then func() error) stream.Stream[int, int] {
					n = 0
					return stream.Func(operator(source), func(v int) (int, error) {
						if n++; n == 3 {
							return v, then()
						}
						return v, nil
					})
				}
				none := func() error { return nil }
				name := from + ", " + by + ", " + to
				if _, err := flow.Run(ctx, sink(stream.Take(third(none), 5)), 1); err != nil {
					t.Errorf("%s: the end of a Take: %v", name, err)
				}
				if _, err := flow.Run(ctx, sink(third(func() error { return errOdd })), 1); !errors.Is(err, errOdd) {
					t.Errorf("%s: an error: %v", name, err)
				}
				if _, err := flow.Run(ctx, sink(third(func() error { cancel(); return nil })), 1); !errors.Is(err, context.Canceled) {
					t.Errorf("%s: a cancel: %v", name, err)
				}
				cancel()
			}
		}
		if now := leaked(t); len(now) > len(before) {
			t.Fatalf("behind %s, goroutines have leaked:\n%s", from, fmt.Sprint(now))
		}
	}
}

func leaked(t *testing.T) (stacks []string) {
	t.Helper()
	var text bytes.Buffer
	if err := pprof.Lookup("goroutineleak").WriteTo(&text, 2); err != nil {
		t.Fatal(err)
	}
	for stack := range strings.SplitSeq(text.String(), "\n\n") {
		if header, _, _ := strings.Cut(stack, "\n"); strings.Contains(header, "leaked") {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}
