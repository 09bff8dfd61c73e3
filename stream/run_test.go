package stream_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

// ends holds ways in which a stream of ten elements, one each millisecond, ends.
var ends = []struct {
	name   string
	around func(context.CancelFunc, stream.Stream[[]int, int]) stream.Stream[[]int, int]
	limit  time.Duration
	err    error
	counts stream.Counts
}{
	{"whole", nil, 0, nil, stream.Counts{In: 10, Out: 10}},
	{"fails", func(_ context.CancelFunc, s stream.Stream[[]int, int]) stream.Stream[[]int, int] {
		return stream.Func(s, func(v int) (int, error) {
			if v == 6 {
				return 0, errOdd
			}
			return v, nil
		})
	}, 0, errOdd, stream.Counts{In: 10, Out: 6, Failed: 1, Lost: 3}},
	{"cancelled", func(cancel context.CancelFunc, s stream.Stream[[]int, int]) stream.Stream[[]int, int] {
		return stream.Through(s, stream.Bound{Limit: 1}, step.Func(func(as step.Scope, v int) (int, error) {
			if v == 6 {
				cancel()
				return 0, context.Cause(as.Context())
			}
			return v, nil
		}))
	}, 0, context.Canceled, stream.Counts{In: 10, Out: 6, Lost: 4}},
	{"over its limit", nil, 6*time.Millisecond + time.Millisecond/2, fault.Timeout, stream.Counts{In: 10, Out: 6, Lost: 4}},
}

// Besides the error, Run returns the result of the sink so far, and the counts.
func TestRun(t *testing.T) {
	type source = stream.Stream[[]int, int]
	text := func(s source) stream.Stream[[]int, string] {
		return stream.Map(s, func(int) string { return "1234567" })
	}
	var written bytes.Buffer
	one := func(v int) int { return v }
	sinks := map[string]func(source) flow.Plan[[]int, int]{
		"count":   stream.Count[[]int, int],
		"foreach": func(s source) flow.Plan[[]int, int] { return stream.ForEach(s, func(int) error { return nil }) },
		"fold": func(s source) flow.Plan[[]int, int] {
			return stream.Fold(s, zero, func(n, _ int) int { return n + 1 })
		},
		"consume": func(s source) flow.Plan[[]int, int] {
			return stream.Consume(s, 1, func(_ context.Context, _ []int, all iter.Seq[int]) (n int, _ error) {
				for range all {
					n++
				}
				return n, nil
			})
		},
		"send": func(s source) flow.Plan[[]int, int] {
			return stream.Send(s, 1, func([]int) chan<- int { return make(chan int, 100) })
		},
		"retried, limited, named": func(s source) flow.Plan[[]int, int] {
			return flow.Named("count", flow.Timeout(time.Hour, retry.Of(retry.Policy{Tries: 1}, stream.Count(s))))
		},
		"part of a longer plan": func(s source) flow.Plan[[]int, int] {
			return flow.Then(step.Map(func(in []int) []int { return in }), flow.Then(stream.Count(s), step.Map(one)))
		},
		"in a loop": func(s source) flow.Plan[[]int, int] {
			return flow.Then(step.Map(func(in []int) [][]int { return [][]int{in} }), flow.Then(flow.ParEach(1, stream.Count(s)),
				step.Map(func(n []int) int { return n[0] })))
		},
	}
	for name, sink := range sinks {
		for _, end := range ends {
			t.Run(name+"/"+end.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					got, counts, err := runUntil(t, end.limit, end.around, sink)
					if !errors.Is(err, end.err) || int64(got) != end.counts.Out {
						t.Errorf("got %d, %v", got, err)
					}
					if diff := cmp.Diff(end.counts, counts); diff != "" {
						t.Errorf("(-want +got)\n%s", diff)
					}
				})
			})
		}
	}
	for _, end := range ends {
		t.Run("collect/"+end.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, _, _ := runUntil(t, end.limit, end.around, stream.Collect[[]int, int])
				if want := plantest.Ints(int(end.counts.Out)); !slices.Equal(got, want) {
					t.Errorf("got %d", got)
				}
			})
		})
		t.Run("write/"+end.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				written.Reset()
				n, _, _ := runUntil(t, end.limit, end.around, func(s source) flow.Plan[[]int, int64] {
					return stream.Write(text(s), 1, func([]int) io.Writer { return &written })
				})
				if n != 7*end.counts.Out || n != int64(written.Len()) {
					t.Errorf("got %d, %d are written", n, written.Len())
				}
			})
		})
	}
}

// runUntil runs a sink on ten elements, one each millisecond, that go through around.
func runUntil[Out any](
	t *testing.T, limit time.Duration, around func(context.CancelFunc, stream.Stream[[]int, int]) stream.Stream[[]int, int],
	sink func(stream.Stream[[]int, int]) flow.Plan[[]int, Out],
) (Out, stream.Counts, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	slow := stream.Through(stream.Slice[int](), stream.Bound{Limit: 1, Buffer: 100}, step.Delay[int](time.Millisecond))
	if around != nil {
		slow = around(cancel, slow)
	}
	plan := sink(slow)
	if limit > 0 {
		plan = flow.Timeout(limit, plan)
	}
	return stream.Run(ctx, plan, plantest.Ints(10))
}

func TestRunOfASinkThatLosesElements(t *testing.T) {
	broken := &brokenWriter{room: 25}
	s := stream.Map(stream.Slice[int](), func(int) string { return "1234567" })
	n, counts, err := stream.Run(t.Context(), stream.Write(s, 100, func([]int) io.Writer { return broken }), plantest.Ints(10))
	if want := (stream.Counts{In: 10, Out: 3, Lost: 7}); n != 25 || counts != want || !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("%d, %+v, %v", n, counts, err)
	}
}

// The value of a Fold has the elements before the one at which the function panics.
func TestRunOfAFoldThatPanics(t *testing.T) {
	sum := func(acc, v int) int {
		if v == 3 {
			panic("broken")
		}
		return acc + v
	}
	got, counts, err := stream.Run(t.Context(), stream.Fold(stream.Slice[int](), zero, sum), []int{1, 2, 3, 4})
	if want := (stream.Counts{In: 4, Out: 2, Lost: 2}); got != 3 || counts != want || !errors.Is(err, fault.InternalError) {
		t.Errorf("%d, %+v, %v", got, counts, err)
	}
}

type brokenWriter struct{ room int }

func (w *brokenWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.room)
	w.room -= n
	return n, nil
}

// All streams of a run are counted together, those that run for single elements too. The result is that of the
// sink that has ended last.
func TestRunOfSeveralStreams(t *testing.T) {
	each := stream.Through(stream.Slice[[]int](), stream.Bound{Limit: 1}, stream.Count(stream.Slice[int]()))
	plan := flow.Then(stream.Collect(each), step.Func(func(step.Scope, []int) (int, error) { return 0, errOdd }))
	last, counts, err := stream.Run(t.Context(), plan, [][]int{{1, 2}, {3, 4, 5}})
	if want := (stream.Counts{In: 7, Out: 7}); last != 3 || counts != want || !errors.Is(err, errOdd) {
		t.Errorf("%d, %+v, %v", last, counts, err)
	}
	inner := stream.FlatMap(stream.Slice[[]int](), stream.Bound{Limit: 1}, stream.Slice[int]())
	_, counts, err = stream.Run(t.Context(), stream.Count(inner), [][]int{{1, 2}, {3, 4, 5}})
	if want := (stream.Counts{In: 7, Out: 5}); counts != want || err != nil {
		t.Errorf("%+v, %v", counts, err)
	}
}

func TestRunOfNoStream(t *testing.T) {
	fails := step.Func(func(_ step.Scope, n int) (int, error) { return n, errOdd })
	if n, counts, err := stream.Run(t.Context(), fails, 3); n != 0 || counts != (stream.Counts{}) || !errors.Is(err, errOdd) {
		t.Errorf("%d, %+v, %v", n, counts, err)
	}
	if n, _, err := stream.Run(t.Context(), step.Map(func(n int) int { return n + 1 }), 3); n != 4 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, _, err := stream.Run(t.Context(), stream.Collect(stream.Stream[int, int]{}), 3); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("of the zero Stream: %v", err)
	}
}
