package stream_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/syncx"
)

// elementLog records what happens to the elements of a stream. Those of the first source are 0, 1, …, those of the
// second one 1000, 1001, ….
type elementLog struct {
	n       int   // number of elements of each source
	bad     int   // the element for which a function of the user fails; -1 for none
	exits   bool  // that function ends its goroutine, and doesn't fail
	quits   bool  // the handler of the Catch ends its goroutine at each letter
	refuses bool  // the Catch refuses the letter of that element
	slow    bool  // each source gives an element every 150 ms
	open    int   // iterators, goroutines and steps of sources that haven't ended
	asked   []int // by source: how many elements it was asked for

	settle func() // waits for elements that receivers of a sink still get; nil if there are none

	delivered, lettered []int
	letters             []error
}

// works is the user's function, called for each element.
func (a *elementLog) works(v int) error {
	if v == a.bad && a.exits {
		runtime.Goexit()
	}
	if v == a.bad {
		return errOdd
	}
	return nil
}

// same is works for functions that return no error: it panics.
func (a *elementLog) same(v int) int {
	if err := a.works(v); err != nil {
		panic(err)
	}
	return v
}

func (a *elementLog) may(v int) (int, error) { return v, a.works(v) }

func (a *elementLog) source() stream.Stream[int, int] {
	k := len(a.asked)
	a.asked = append(a.asked, 0)
	s := stream.Input(func(n int) iter.Seq[int] {
		return func(yield func(int) bool) {
			a.open++
			defer func() { a.open-- }()
			for ; a.asked[k] < n; a.asked[k]++ {
				if !yield(1000*k + a.asked[k]) {
					a.asked[k]++
					return
				}
			}
		}
	}, stream.Seq[int]())
	if a.slow {
		s = stream.Throttle(s, 1, 150*time.Millisecond)
	}
	return s
}

// failing returns a source with a function of the user's, for operators that have none.
func (a *elementLog) failing() stream.Stream[int, int] { return stream.Func(a.source(), a.may) }

func (a *elementLog) take(err error) error {
	if letter, ok := fault.AsType[*stream.Letter[int]](err); ok {
		if a.refuses && letter.Element == a.bad {
			return err
		}
		a.lettered = append(a.lettered, letter.Element)
	} else if letter, ok := fault.AsType[*stream.Letter[[]int]](err); ok {
		a.lettered = append(a.lettered, letter.Element...)
	} else if letter, ok := fault.AsType[*stream.Letter[flow.Pair[int, int]]](err); ok {
		a.lettered = append(a.lettered, letter.Element.A, letter.Element.B)
	} else if letter, ok := fault.AsType[*stream.Letter[string]](err); ok {
		a.lettered = append(a.lettered, number(letter.Element))
	} else {
		return err
	}
	a.letters = append(a.letters, err)
	if a.quits {
		runtime.Goexit()
	}
	return nil
}

func (a *elementLog) elements() (all []int) {
	for k, n := range a.asked {
		for i := range n {
			all = append(all, 1000*k+i)
		}
	}
	return all
}

func singly(s stream.Stream[int, int]) stream.Stream[int, []int] {
	return stream.Map(s, func(v int) []int { return []int{v} })
}

// operators holds a stream with each operator. None of them drops an element, so each element is
// delivered or has a letter.
var operators = map[string]func(a *elementLog) stream.Stream[int, []int]{
	"Map":      func(a *elementLog) stream.Stream[int, []int] { return singly(stream.Map(a.source(), a.same)) },
	"Func":     func(a *elementLog) stream.Stream[int, []int] { return singly(stream.Func(a.source(), a.may)) },
	"Filter":   func(a *elementLog) stream.Stream[int, []int] { return singly(stream.Filter(a.source(), a.keeps)) },
	"Distinct": func(a *elementLog) stream.Stream[int, []int] { return singly(stream.Distinct(a.source(), a.same)) },
	"Scan": func(a *elementLog) stream.Stream[int, []int] {
		return singly(stream.Scan(a.source(), zero, func(_, v int) int { return a.same(v) }))
	},
	"Expand": func(a *elementLog) stream.Stream[int, []int] {
		return singly(stream.Expand(a.source(), func(v int) iter.Seq[int] { return slices.Values([]int{a.same(v)}) }))
	},
	"Await": func(a *elementLog) stream.Stream[int, []int] {
		return singly(stream.Await(a.source(), stream.Bound{Limit: 2, Buffer: 3}, a.waits))
	},
	"Await, unordered": func(a *elementLog) stream.Stream[int, []int] {
		return singly(stream.Await(a.source(), stream.Bound{Limit: 3, Unordered: true}, a.waits))
	},
	"Through": func(a *elementLog) stream.Stream[int, []int] {
		return singly(stream.Through(a.source(), stream.Bound{Limit: 2, Buffer: 3}, a.steps()))
	},
	"Through, unordered": func(a *elementLog) stream.Stream[int, []int] {
		return singly(stream.Through(a.source(), stream.Bound{Limit: 3, Unordered: true}, a.steps()))
	},
	"Through, goroutines": func(a *elementLog) stream.Stream[int, []int] {
		return singly(stream.Through(a.source(), stream.Bound{Limit: 3}, step.Await(a.waits)))
	},
	"Through, retried": func(a *elementLog) stream.Stream[int, []int] {
		again := retry.Of(retry.Policy{Tries: 2, Pause: time.Millisecond}, a.steps())
		return singly(stream.Through(a.source(), stream.Bound{Limit: 2, Buffer: 3}, again))
	},
	"Through, guarded": func(a *elementLog) stream.Stream[int, []int] {
		guarded := syncx.Sync(syncx.NewMutex(1, -1), a.steps())
		return singly(stream.Through(a.source(), stream.Bound{Limit: 2, Buffer: 3}, guarded))
	},
	"Through, with a handler": func(a *elementLog) stream.Stream[int, []int] {
		handled := flow.Catch(a.steps(), func(_ step.Scope, err error) step.Next[int] { return step.Fail[int](err) })
		return singly(stream.Through(a.source(), stream.Bound{Limit: 2, Buffer: 3}, handled))
	},
	"Partition": func(a *elementLog) stream.Stream[int, []int] {
		return singly(stream.Partition(a.source(), stream.Bound{Limit: 2, Buffer: 3}, func(v int) int { return v % 3 }, a.steps()))
	},
	"Partition, its key": func(a *elementLog) stream.Stream[int, []int] {
		return singly(stream.Partition(a.source(), stream.Bound{Limit: 2, Buffer: 3}, a.same, step.Delay[int](time.Millisecond)))
	},
	"FlatMap": func(a *elementLog) stream.Stream[int, []int] {
		one := stream.Input(func(v int) []int { return []int{v} }, stream.Slice[int]())
		return singly(stream.FlatMap(a.failing(), stream.Bound{Limit: 2, Buffer: 3}, one))
	},
	"Batch": func(a *elementLog) stream.Stream[int, []int] {
		return stream.Batch(a.failing(), stream.Batching{Size: 3, Wait: time.Second})
	},
	"Window": func(a *elementLog) stream.Stream[int, []int] { return stream.Window(a.failing(), 3, 3) },
	"Take":   func(a *elementLog) stream.Stream[int, []int] { return singly(stream.Take(a.failing(), 900)) },
	"Skip":   func(a *elementLog) stream.Stream[int, []int] { return singly(stream.Skip(a.failing(), 0)) },
	"Throttle": func(a *elementLog) stream.Stream[int, []int] {
		return singly(stream.Throttle(a.failing(), 2, time.Millisecond))
	},
	"Merge":  func(a *elementLog) stream.Stream[int, []int] { return singly(stream.Merge(a.failing(), a.source())) },
	"Concat": func(a *elementLog) stream.Stream[int, []int] { return singly(stream.Concat(a.failing(), a.source())) },
	"Zip": func(a *elementLog) stream.Stream[int, []int] {
		return stream.Map(stream.Zip(a.failing(), a.source()), func(p flow.Pair[int, int]) []int { return []int{p.A, p.B} })
	},
	"Catch": func(a *elementLog) stream.Stream[int, []int] {
		return singly(stream.Catch(a.failing(), func(err error) error { return err }))
	},
	"Measure": func(a *elementLog) stream.Stream[int, []int] {
		return singly(stream.Measure(a.failing(), new(stream.Progress)))
	},
	"Named": func(a *elementLog) stream.Stream[int, []int] { return singly(stream.Named("a name", a.failing())) },
	"Input": func(a *elementLog) stream.Stream[int, []int] {
		return singly(stream.Input(func(n int) int { return n }, a.failing()))
	},
}

func (a *elementLog) keeps(v int) bool { return a.same(v) == v }

func (a *elementLog) waits(_ context.Context, v int) (int, error) { return v, a.works(v) }

func (a *elementLog) steps() step.Step[int, int] {
	return flow.Then(step.Delay[int](time.Millisecond), step.Func(func(_ step.Scope, v int) (int, error) { return a.may(v) }))
}

// ways holds ways in which a stream ends.
var ways = []struct {
	name    string
	n       int  // elements of a source
	fails   bool // the function of the user fails for an element
	exits   bool // the function ends its goroutine
	quits   bool // the handler of the Catch ends its goroutine at each letter
	dead    bool // the Catch takes the letter of that element
	refuses bool // the Catch refuses the letter of that element
	take    int  // the number of elements that the consumer takes
	cancel  time.Duration
	limit   time.Duration
	err     error // of the stream
	lost    error // of the letters of lost elements; nil if any will do
}{
	{name: "the consumer has enough", n: 900, take: 3, lost: stream.ErrEnded},
	{name: "a function fails", n: 900, take: 900, fails: true, refuses: true, err: errOdd, lost: errOdd},
	{name: "a dead letter", n: 10, take: 900, fails: true, dead: true, lost: stream.ErrEnded},
	{name: "a function ends its goroutine", n: 20, take: 900, fails: true, exits: true, err: fault.InternalError},
	{name: "the handler ends its goroutine", n: 20, take: 900, fails: true, dead: true, quits: true, err: fault.InternalError},
	{name: "cancelled", n: 900, take: 900, cancel: time.Second, err: fault.Cancelled, lost: fault.Cancelled},
	{name: "over its limit", n: 900, take: 900, limit: time.Second, err: fault.Timeout, lost: fault.Timeout},
}

// C1, V1: however a stream ends, its sources are stopped, and each element taken from them is
// delivered or has one letter.
func TestC1EachElementIsAccountedFor(t *testing.T) {
	for name, operator := range operators {
		for i := range 2 * len(ways) {
			way, slow, title := ways[i/2], i%2 == 1, name+", slow sink, "
			if slow {
				title = name + ", slow source, "
			}
			t.Run(title+way.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { // fails if a goroutine is left
					a := &elementLog{n: way.n, bad: -1, refuses: way.refuses, slow: slow, exits: way.exits, quits: way.quits}
					if way.fails {
						a.bad = 4
					}
					var p stream.Progress
					s := stream.Take(stream.Catch(stream.Measure(operator(a), &p), a.take), way.take)
					s = stream.Map(s, func(all []int) []int { a.delivered = append(a.delivered, all...); return all })
					if !slow { // with a slow source, the stages before hold elements that are incomplete
						s = stream.Through(s, stream.Bound{Limit: 1}, step.Delay[[]int](300*time.Millisecond))
					}
					err := a.run(t, stream.Count(s), way.cancel, way.limit, nil)
					survives := way.exits && err == nil // it was the error of one element: the function was a step's, or on a goroutine
					if !errors.Is(err, way.err) && !survives {
						t.Fatalf("ended with %v, want %v", err, way.err)
					}
					if way.refuses {
						a.letters = append(a.letters, err)
						a.lettered = append(a.lettered, elementOf(t, err))
					}
					for _, letter := range a.letters {
						if way.lost != nil && !errors.Is(letter, way.lost) && (!way.dead || !errors.Is(letter, errOdd)) {
							t.Errorf("a letter is %v, want %v", letter, way.lost)
						}
					}
					a.check(t, name, p.Counts())
				})
			})
		}
	}
}

// run runs plan on a loop of its own.
func (a *elementLog) run(t *testing.T, plan flow.Plan[int, int], cancelled, limit time.Duration, told observe.Observer) error {
	t.Helper()
	if limit > 0 {
		plan = flow.Timeout(limit, plan)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if told != nil {
		ctx = observe.With(ctx, told)
	}
	if cancelled > 0 {
		defer time.AfterFunc(cancelled, cancel).Stop()
	}
	var reported []error
	_, err := onLoop(ctx, t, plan, a.n, &reported)
	if len(reported) > 0 && !a.exits && !a.quits { // otherwise the loop hears of ends of goroutines
		t.Errorf("reported to the loop: %v", reported)
	}
	return err
}

func (a *elementLog) check(t *testing.T, operator string, counts stream.Counts) {
	t.Helper()
	if a.open != 0 {
		t.Errorf("%d sources are still open", a.open)
	}
	got := slices.Sorted(slices.Values(slices.Concat(a.delivered, a.lettered)))
	if operator == "Expand" || operator == "FlatMap" { // they lose an element whose iterator or stream hasn't ended, though parts of it were delivered
		got = slices.Compact(got)
	}
	if diff := cmp.Diff(a.elements(), got); diff != "" {
		t.Errorf("delivered %v, letters %v (-want +got):\n%s", a.delivered, a.lettered, diff)
	}
	if operator == "FlatMap" { // counts the elements of its inner streams as well
		return
	}
	if n := counts.Dead + counts.Failed + counts.Lost; int(n) != len(a.letters) || int(counts.In) != len(got) {
		t.Errorf("counted %+v, want %d taken and %d letters", counts, len(got), len(a.letters))
	}
}
