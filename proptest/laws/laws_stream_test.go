package laws_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type ints = stream.Stream[[]int, int]

// operator is an operator of a stream with its model on slices. The model returns the elements that the operator gives, and
// the element for which it fails, or nil.
type operator struct {
	name   string
	stream func(ints) ints
	model  func([]int) (out []int, failed *int)
}

var errSeventh = fault.New("Seventh", "a multiple of seven")

func unlessSeventh(v int) (int, error) {
	if v%7 == 0 {
		return 0, errSeventh
	}
	return v + 1, nil
}

// each returns the model of an operator that handles one element at a time.
func each(f func(v int) ([]int, error)) func([]int) ([]int, *int) {
	return func(in []int) (out []int, failed *int) {
		for _, v := range in {
			made, err := f(v)
			if err != nil {
				return out, &v
			}
			out = append(out, made...)
		}
		return out, nil
	}
}

func pausing(v int) time.Duration { return time.Duration(v*37%11) * time.Millisecond }

func pauses(f func(int) (int, error)) step.Step[int, int] {
	return flow.Then(
		step.New(func(as step.Scope, v int) step.Next[int] { return step.Into(as, step.Delay[int](pausing(v)), v) }),
		step.Func(func(_ step.Scope, v int) (int, error) { return f(v) }),
	)
}

func sumOf(vs []int) (sum int) {
	for _, v := range vs {
		sum += v
	}
	return sum
}

// operatorOf draws an operator that keeps the order of elements. With fails it may be one that fails.
func operatorOf(t *rapid.T, fails bool) operator {
	n := rapid.IntRange(1, 9).Draw(t, "n")
	bound := stream.Bound{Limit: n, Buffer: rapid.IntRange(0, 5).Draw(t, "buffer")}
	apart := rapid.IntRange(1, 9).Draw(t, "apart") // distance between the beginnings of windows, which overlap or have gaps
	all := []operator{
		{"map", func(s ints) ints { return stream.Map(s, func(v int) int { return v * n }) },
			each(func(v int) ([]int, error) { return []int{v * n}, nil })},
		{"filter", func(s ints) ints { return stream.Filter(s, func(v int) bool { return v%n != 0 }) },
			each(func(v int) ([]int, error) {
				if v%n == 0 {
					return nil, nil
				}
				return []int{v}, nil
			})},
		{"take", func(s ints) ints { return stream.Take(s, 10*n) },
			func(in []int) ([]int, *int) { return in[:min(10*n, len(in))], nil }},
		{"skip", func(s ints) ints { return stream.Skip(s, n) },
			func(in []int) ([]int, *int) { return in[min(n, len(in)):], nil }},
		{"scan", func(s ints) ints {
			return stream.Scan(s, func() int { return n }, func(acc, v int) int { return (acc + v) % 1000 })
		}, func(in []int) (out []int, _ *int) {
			acc := n
			for _, v := range in {
				acc = (acc + v) % 1000
				out = append(out, acc)
			}
			return out, nil
		}},
		{"batch", func(s ints) ints { return stream.Map(stream.Batch(s, stream.Batching{Size: n}), sumOf) },
			func(in []int) (out []int, _ *int) {
				for chunk := range slices.Chunk(in, n) {
					out = append(out, sumOf(chunk))
				}
				return out, nil
			}},
		{"window", func(s ints) ints { return stream.Map(stream.Window(s, n, apart), sumOf) },
			func(in []int) ([]int, *int) { return windowsOf(in, n, apart), nil }},
		{"expand", func(s ints) ints { return stream.Expand(s, fewOf) },
			each(func(v int) ([]int, error) { return slices.Collect(fewOf(v)), nil })},
		{"through", func(s ints) ints {
			return stream.Through(s, bound, pauses(func(v int) (int, error) { return v + 1, nil }))
		}, each(func(v int) ([]int, error) { return []int{v + 1}, nil })},
		{"flatmap", func(s ints) ints {
			return stream.FlatMap(s, bound, stream.Expand(stream.Input(func(v int) []int { return []int{v} },
				stream.Through(stream.Slice[int](), stream.Bound{Limit: 1}, pauses(func(v int) (int, error) { return v, nil }))), fewOf))
		}, each(func(v int) ([]int, error) { return slices.Collect(fewOf(v)), nil })},
		{"throttle", func(s ints) ints { return stream.Throttle(s, n, time.Millisecond) },
			func(in []int) ([]int, *int) { return in, nil }},
	}
	if fails {
		all = append(all,
			operator{"func", func(s ints) ints { return stream.Func(s, unlessSeventh) }, each(seventh)},
			operator{"through that fails", func(s ints) ints { return stream.Through(s, bound, pauses(unlessSeventh)) }, each(seventh)},
		)
	}
	return rapid.SampledFrom(all).Draw(t, "operator")
}

// windowsOf returns the sums of windows of size elements that begin apart elements apart. The end of in may cut the last
// one short.
func windowsOf(in []int, size, apart int) (out []int) {
	for from, seen := 0, 0; from < len(in) && seen < len(in); from += apart {
		seen = min(from+size, len(in))
		out = append(out, sumOf(in[from:seen]))
	}
	return out
}

func (o operator) String() string { return o.name }

func seventh(v int) ([]int, error) {
	v, err := unlessSeventh(v)
	return []int{v}, err
}

func fewOf(v int) iter.Seq[int] {
	return slices.Values([]int{v, v + 1}[:max(v, -v)%3])
}

// pipelineOf draws some operators, and computes what they make of in. At most one of them fails, and later ones don't see the
// element for which it does.
func pipelineOf(t *rapid.T, s ints, in []int, fails bool) (_ ints, want []int, failed *int) {
	want = in
	for range rapid.IntRange(0, 6).Draw(t, "operators") {
		o := operatorOf(t, fails && failed == nil)
		if failed != nil && (o.name == "take" || o.name == "batch" || o.name == "window" || o.name == "expand") {
			continue // such an operator shifts the moment at which an earlier failure is seen
		}
		s = o.stream(s)
		var at *int
		if want, at = o.model(want); at != nil {
			failed = at
		}
	}
	return s, want, failed
}

// Law 68: a stream gives the same elements as its operators on a slice, in their order. If an operator fails for an element, the
// stream gives what the elements before it make, and then a letter of this element.
func TestStreamIsItsModelOnASlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(rapid.IntRange(1, 60), 0, 40).Draw(t, "in")
		if rapid.Bool().Draw(t, "long") {
			in = slices.Repeat(in, 30)
		}
		s, want, failed := pipelineOf(t, stream.Slice[int](), in, true)
		var got []int
		loop := tooltest.New(tooltest.WithSeed(rapid.Uint64().Draw(t, "seed")))
		run := flow.Start(context.Background(), loop, stream.ForEach(s, func(v int) error {
			got = append(got, v)
			return nil
		}), in)
		loop.Run()
		_, err := run.Result()
		if errors.Is(err, flow.ErrRunning) {
			t.Fatal("the loop is idle and the stream hasn't ended")
		}
		if diff := cmp.Diff(append([]int{}, want...), append([]int{}, got...)); diff != "" {
			t.Fatalf("elements (-want +got), %v:\n%s", err, diff)
		}
		letter, _ := fault.AsType[*stream.Letter[int]](err)
		if failed == nil && err != nil || failed != nil && (letter == nil || letter.Element != *failed) {
			t.Fatalf("failed with %v, want the letter of %v", err, failed)
		}
		if errs := loop.Errors(); len(errs) > 0 || loop.Pending() != 0 {
			t.Fatalf("reported: %v; %d callbacks are left", errs, loop.Pending())
		}
	})
}

// Law 69: a stage works on no more elements than its limit, and holds no more than limit and buffer. It gives each result once, and
// in order unless it is unordered.
func TestStreamKeepsItsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "n")
		b := stream.Bound{
			Limit: rapid.IntRange(1, 9).Draw(t, "limit"), Buffer: rapid.IntRange(0, 9).Draw(t, "buffer"),
			Unordered: rapid.Bool().Draw(t, "unordered"),
		}
		taken, inside, given := 0, 0, 0
		var source iter.Seq[int] = func(yield func(int) bool) {
			for i := range n {
				taken++
				if held := taken - given; held > b.Limit+b.Buffer {
					t.Fatalf("%d elements are held", held)
				}
				if !yield(i) {
					return
				}
			}
		}
		s := stream.Through(stream.Seq[int](), b, step.New(func(as step.Scope, v int) step.Next[int] {
			if inside++; inside > b.Limit {
				t.Fatalf("%d elements are worked on", inside)
			}
			step.StackCleanup(as, func(*int) { inside-- })
			return step.Into(as, step.Delay[int](pausing(v)), v)
		}))
		slow := stream.Through(stream.Map(s, func(v int) int { // the next stage takes one element at a time
			given++
			return v
		}), stream.Bound{Limit: 1}, step.Delay[int](time.Millisecond))
		loop := tooltest.New(tooltest.WithSeed(rapid.Uint64().Draw(t, "seed")))
		run := flow.Start(context.Background(), loop, stream.Collect(slow), source)
		loop.Run()
		got, err := run.Result()
		if err != nil {
			t.Fatal(err)
		}
		if b.Unordered {
			slices.Sort(got)
		}
		for i, v := range got {
			if i != v {
				t.Fatalf("element %d is %d", i, v)
			}
		}
		if len(got) != n {
			t.Fatalf("%d elements of %d", len(got), n)
		}
	})
}

func lettered(b stream.Bound, heard *[]int) ints {
	fails := pauses(func(v int) (int, error) {
		if v%3 == 0 {
			return 0, errSeventh
		}
		return v, nil
	})
	s := stream.Map(stream.Through(stream.Map(stream.Slice[int](), func(v int) int { return v }), b, fails), func(v int) int { return v })
	return stream.Catch(s, func(letter *stream.Letter[int]) error {
		*heard = append(*heard, letter.Element)
		return nil
	})
}

// Law 70: if a stream is cancelled or stopped at any time, each element taken from its source is delivered or has one letter.
func TestStreamAccountsForEachElement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 100).Draw(t, "n")
		in := make([]int, n)
		for i := range in {
			in[i] = i
		}
		b := stream.Bound{
			Limit: rapid.IntRange(1, 9).Draw(t, "limit"), Buffer: rapid.IntRange(0, 9).Draw(t, "buffer"),
			Unordered: rapid.Bool().Draw(t, "unordered"),
		}
		var heard, got []int
		var progress stream.Progress
		s := stream.Measure(lettered(b, &heard), &progress)
		s = stream.Take(s, rapid.IntRange(0, 100).Draw(t, "take"))
		loop := tooltest.New(tooltest.WithSeed(rapid.Uint64().Draw(t, "seed")))
		run := flow.Start(context.Background(), loop, stream.ForEach(s, func(v int) error {
			got = append(got, v)
			return nil
		}), in)
		for range rapid.IntRange(0, 500).Draw(t, "steps") {
			loop.Step()
		}
		run.Cancel(nil)
		loop.Run()
		taken := progress.Counts().In
		all := slices.Sorted(slices.Values(slices.Concat(heard, got)))
		for i, v := range all {
			if i != v {
				t.Fatalf("of %d elements: delivered %v, letters %v", taken, got, heard)
			}
		}
		if len(all) != int(taken) {
			t.Fatalf("%d elements were taken; delivered %v, letters %v", taken, got, heard)
		}
	})
}

// Law 71: under every schedule with few delays, with a cancel at any point, a merge of two streams gives the elements
// of each in their order, and each element that was taken is delivered or has a letter.
func TestEveryScheduleOfAMerge(t *testing.T) {
	waits := stream.Through(stream.Slice[int](), stream.Bound{Limit: 2}, step.Delay[int](time.Millisecond))
	everySchedule(t, bounds(2, 3000), func(ctx context.Context, x *explore.Trial) error {
		var heard, got []int
		var progress stream.Progress
		side := func(f func(int) int) ints { return stream.Map(waits, f) }
		merged := stream.Merge(side(func(v int) int { return v }), side(func(v int) int { return 100 + v }))
		s := stream.Catch(stream.Measure(merged, &progress), func(letter *stream.Letter[int]) error {
			x.Note("letter of %d", letter.Element)
			heard = append(heard, letter.Element)
			return nil
		})
		run := explore.Start(ctx, x, stream.ForEach(s, func(v int) error {
			x.Note("delivered %d", v)
			got = append(got, v)
			return nil
		}), []int{0, 1, 2})
		if err := x.Run(explore.Action{Name: "cancel", Do: func() { run.Cancel(nil) }}); err != nil {
			return err
		}
		_, err := run.Result()
		if errors.Is(err, flow.ErrRunning) {
			return err
		}
		counts := progress.Counts()
		if int(counts.In) != len(heard)+len(got) {
			return fmt.Errorf("%+v, delivered %v, letters %v", counts, got, heard)
		}
		if err == nil && (len(got) != 6 || len(heard) != 0) {
			return fmt.Errorf("delivered %v, letters %v", got, heard)
		}
		for _, side := range []int{0, 100} {
			next := side
			for _, v := range got {
				if v/100 == side/100 {
					if v != next {
						return fmt.Errorf("delivered %v", got)
					}
					next++
				}
			}
		}
		return nil
	})
}
