package main

import (
	"bufio"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/combinatortest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

var (
	wait  = step.Delay[int](ms)
	inc   = step.Map(func(n int) int { return n + 1 })
	fails = step.Func(func(step.Scope, int) (int, error) { return 0, fault.CommError })
	all   = step.Await(func(_ context.Context, n int) (int, error) { return n, nil })
	tasks = flow.NewTasks[int, int]("tasks")
)

func run[In, Out any](p step.Step[In, Out], in In) (Out, error) {
	l := tooltest.New()
	r := flow.Start(context.Background(), l, p, in)
	l.Run()
	return r.Result()
}

func cancelled[In, Out any](p step.Step[In, Out], in In) {
	l := tooltest.New()
	r := flow.Start(context.Background(), l, p, in)
	l.Advance(ms / 2)
	r.Cancel(nil)
	l.Run()
	if _, err := r.Result(); !errors.Is(err, fault.Cancelled) {
		panic(err)
	}
}

func many(n int, s step.Step[int, int]) []step.Step[int, int] {
	return slices.Repeat([]step.Step[int, int]{s}, n)
}

func nested(n int, s step.Step[int, int], around func(step.Step[int, int]) flow.Plan[int, int]) flow.Plan[int, int] {
	p := flow.Of(s)
	for range n {
		p = around(p)
	}
	return p
}

func keeps(_ step.Scope, err error) step.Next[int] { return step.Fail[int](err) }

// combinators returns cases of plans with n branches, levels, iterations or elements.
func combinators() []growing {
	undo := flow.Undo(inc, step.Map(func(n int) int { return n }))
	release := step.Map(func(flow.Ended[int, int]) int { return 0 })
	bracket := func(s step.Step[int, int]) flow.Plan[int, int] { return flow.Bracket(inc, s, release) }
	slow := func(s step.Step[int, int]) flow.Plan[int, int] {
		return flow.Bracket(inc, s, step.Delay[flow.Ended[int, int]](ms))
	}
	branching := func(s step.Step[int, int]) flow.Plan[int, int] {
		return flow.Then(flow.Par(slow(s), slow(wait)), step.Map(func(all []int) int { return all[0] }))
	}
	caught := func(s step.Step[int, int]) flow.Plan[int, int] { return flow.Catch(s, keeps) }
	linger := func(s step.Step[int, int]) flow.Plan[int, int] { return flow.Linger(time.Second, s) }
	inner := flow.Then(wait, inc)
	rows := []growing{
		{"plans/par: one fails", func(n int) { _, _ = run(flow.Par(append(many(n, wait), fails)...), 0) }},
		{"plans/par: cancelled", func(n int) { cancelled(flow.Par(many(n, bracket(wait))...), 0) }},
		{"plans/par: cancelled sagas", func(n int) { cancelled(flow.Par(many(n, flow.Saga(flow.Then(undo, wait)))...), 0) }},
		{"plans/each", func(n int) { must(run(flow.ParEach(10, wait), make([]int, n))) }},
		{"plans/each: at once", func(n int) { must(run(flow.ParEach(n, wait), make([]int, n))) }},
		{"plans/tasks", func(n int) { must(run(tasks.All(10, wait), make([]int, n))) }},
		{"plans/tasks that add one each", func(n int) {
			must(run(tasks.All(10, step.Func(func(as step.Scope, i int) (int, error) {
				if i < n {
					tasks.Go(as, i+1)
				}
				return i, nil
			})), []int{0}))
		}},
		{"plans/first: all fail", func(n int) { _, _ = run(flow.First(many(n, fails)...), 0) }},
		{"plans/some", func(n int) { must(run(flow.Some(n/2, many(n, wait)...), 0)) }},
		{"plans/hedge", func(n int) { _, _ = run(flow.Hedge(ms, many(n, fails)...), 0) }},
		{"plans/hedge: slow", func(n int) { must(run(flow.Hedge(ms, many(n, step.Delay[int](time.Hour))...), 0)) }},
		{"plans/race: lingering", func(n int) { must(run(flow.First(append(many(n, linger(inner)), inc)...), 0)) }},
		{"plans/graph: chain", func(n int) { must(run(graph(n, false), 0)) }},
		{"plans/graph: wide", func(n int) { must(run(graph(n, true), 0)) }},
		{"plans/catch", func(n int) { _, _ = run(nested(n, fails, caught), 0) }},
		{"plans/par: cancelled releases", func(n int) { cancelled(flow.Par(many(n, slow(wait))...), 0) }},
		{"plans/par in par: cancelled", func(n int) {
			few := flow.Then(flow.Par(many(10, slow(wait))...), step.Map(func(all []int) int { return all[0] }))
			cancelled(flow.Par(many(n/10, few)...), 0)
		}},
		{"plans/bracket in branches: cancelled", func(n int) { cancelled(nested(n/10, wait, branching), 0) }},
		{"plans/saga", func(n int) { _, _ = run(flow.Saga(flow.Then(flow.Chain(many(n, undo)...), fails)), 0) }},
		{"plans/saga: loop", func(n int) {
			must(run(flow.Saga(loopx.Repeat(n, flow.Then(step.Map(func(i loopx.Iteration[int]) int { return i.Index }), undo))), 0))
		}},
		{"plans/await", func(n int) { must(flow.Run(context.Background(), flow.Chain(many(n/10, all)...), 0)) }},
		{"plans/repeat", func(n int) {
			must(run(loopx.Repeat(n, step.Map(func(i loopx.Iteration[int]) int { return i.Index })), 0))
		}},
		{"plans/repeat: waiting", func(n int) {
			must(run(loopx.Repeat(n, flow.Then(step.Map(func(i loopx.Iteration[int]) int { return i.Index }), wait)), 0))
		}},
		{"plans/each of a list", func(n int) {
			must(run(loopx.Each(step.Map(func(i loopx.Item[int, int, int]) int { return i.Key })), make([]int, n)))
		}},
		{"plans/retry", func(n int) { _, _ = run(retry.Of(retry.Policy{Tries: n, Pause: ms}, fails), 0) }},
		{"plans/memo", func(n int) {
			m := share.NewMemo(share.MemoPolicy{Lifetime: time.Hour, Size: n / 2}, wait)
			must(run(flow.ParEach(10, m.Get()), numbers(n)))
		}},
		{"plans/memo: one key", func(n int) {
			m := share.NewMemo(share.MemoPolicy{}, wait)
			must(run(flow.ParEach(n, m.Get()), make([]int, n)))
		}},
		{"plans/batch", func(n int) {
			b := share.NewBatch(share.BatchPolicy{Most: n / 3}, step.Map(func(keys []int) []share.Answer[int] {
				return make([]share.Answer[int], len(keys))
			}))
			must(run(flow.ParEach(n, b.Get()), numbers(n)))
		}},
	}
	return slices.Concat(each(), rows, streams())
}

// each returns a case for each combinator of combinatortest but Sync. The combinator gets n stages, or is nested n/4 times in
// itself. One run succeeds, and one is cancelled.
func each() (rows []growing) {
	for _, c := range combinatortest.All {
		if c.Name == "Sync" {
			continue // quadratic: a section looks through all sections around it
		}
		plan := func(n int) step.Step[int, int] {
			if c.Many {
				return c.Make(many(n, wait)...)
			}
			return nested(n/4, wait, func(s step.Step[int, int]) flow.Plan[int, int] {
				return flow.Of(c.Make(append(many(1, s), many(c.Stages-1, wait)...)...))
			})
		}
		rows = append(rows, growing{"plans/" + c.Name, func(n int) {
			p := plan(n)
			must(run(p, 0))
			cancelled(p, 0)
		}})
	}
	return rows
}

func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// graph makes a graph whose first node takes the input. If wide is false, n more nodes make a chain. If wide is true, n pairs of
// nodes follow: one takes the input too, and the other joins its result with the result so far.
func graph(n int, wide bool) flow.Plan[int, int] {
	return flow.Graph(func(in flow.Ref[int]) flow.Ref[int] {
		at := flow.Node(in, inc)
		for range n {
			if !wide {
				at = flow.Node(at, inc)
				continue
			}
			one := flow.Node(in, wait)
			at = flow.Node(flow.Join2(at, one), step.Map(func(p flow.Pair[int, int]) int { return p.A }))
		}
		return at
	})
}

func streams() []growing {
	type source = stream.Stream[[]int, int]
	of := stream.Slice[int]()
	bound := stream.Bound{Limit: 10, Buffer: 10}
	key := func(n int) int { return n }
	zero := func() int { return 0 }
	dead := func(error) error { return nil }
	staggered := stream.Through(of, stream.Bound{Limit: 3}, step.DelayBy(func(_ step.Scope, n int) time.Duration { return time.Duration(n) * ms }))
	later := stream.Input(func(n int) []int { return []int{n, n + 1, 2 * n} }, staggered)
	stages := []struct {
		name  string
		stage func(n int) stream.Stream[[]int, int]
	}{
		{"map", func(int) source { return stream.Map(of, key) }},
		{"func that fails", func(int) source {
			f := stream.Func(of, func(n int) (int, error) { return odd(step.Scope{}, n) })
			return stream.Catch(f, func(*stream.Letter[int]) error { return nil })
		}},
		{"filter", func(int) source { return stream.Filter(of, func(n int) bool { return n%2 == 0 }) }},
		{"skip and take", func(n int) source { return stream.Take(stream.Skip(of, n/4), n/2) }},
		{"distinct", func(int) source { return stream.Distinct(of, key) }},
		{"through", func(int) source { return stream.Through(of, bound, wait) }},
		{"partition", func(int) source { return stream.Partition(of, bound, key, wait) }},
		{"flat map", func(int) source {
			return stream.FlatMap(of, bound, stream.Input(func(n int) []int { return []int{n, n} }, of))
		}},
		{"expand", func(int) source {
			return stream.Expand(of, func(n int) iter.Seq[int] { return slices.Values([]int{n, n}) })
		}},
		{"throttle", func(int) source { return stream.Throttle(of, 10, ms) }},
		{"flat map: all open", func(n int) source { return stream.FlatMap(of, stream.Bound{Limit: n}, later) }},
		{"flat map: all open as they come", func(n int) source {
			return stream.FlatMap(of, stream.Bound{Limit: n, Unordered: true}, later)
		}},
		{"through: all at once", func(n int) source { return stream.Through(of, stream.Bound{Limit: n}, wait) }},
		{"partition: one key", func(n int) source {
			return stream.Partition(of, stream.Bound{Limit: n, Unordered: true}, func(int) int { return 0 }, wait)
		}},
		{"scan", func(int) source { return stream.Scan(of, zero, func(sum, n int) int { return sum + n }) }},
		{"merge", func(int) source { return stream.Merge(of, of) }},
		{"merge: many", func(n int) source { return stream.Merge(slices.Repeat([]source{stream.Take(of, 3)}, n/3)...) }},
		{"merge: many that wait", func(n int) source {
			sides := make([]source, n/3)
			for i := range sides {
				sides[i] = stream.Input(func([]int) []int { return []int{i, n + i, 2*n + i} }, staggered)
			}
			return stream.Merge(sides...)
		}},
		{"concat", func(n int) source { return stream.Concat(slices.Repeat([]source{stream.Take(of, 3)}, n/3)...) }},
		{"batch", func(n int) source {
			return stream.Map(stream.Batch(of, stream.Batching{Size: n / 3}), func(all []int) int { return len(all) })
		}},
		{"window", func(int) source {
			return stream.Map(stream.Window(of, 10, 1), func(all []int) int { return len(all) })
		}},
		{"batch: by time", func(int) source {
			return stream.Map(stream.Batch(stream.Throttle(of, 1, ms), stream.Batching{Size: 9, Wait: 3 * ms}), func(all []int) int { return len(all) })
		}},
		{"window: large", func(n int) source {
			return stream.Map(stream.Window(of, n/3, n/3), func(all []int) int { return len(all) })
		}},
		{"window: with gaps", func(n int) source {
			return stream.Map(stream.Window(of, 1, n/5), func(all []int) int { return len(all) })
		}},
		{"catch: lost elements", func(n int) source {
			s := stream.Func(stream.Batch(of, stream.Batching{Size: n + 1}), func([]int) (int, error) { return 0, fault.CommError })
			return stream.Catch(stream.Catch(s, dead), dead)
		}},
		{"pages", func(n int) source {
			page := step.Map(func(at int) stream.Page[int, int] {
				return stream.Page[int, int]{Items: []int{at}, Next: at + 1, More: at < n}
			})
			return stream.Input(func([]int) int { return 0 }, stream.Pages(page))
		}},
		{"ticks", func(n int) source {
			return stream.Map(stream.Take(stream.Ticks[[]int](ms), n), func(time.Time) int { return 0 })
		}},
		{"seq", func(int) source { return stream.Input(slices.Values[[]int], stream.Seq[int]()) }},
		{"zip", func(int) source {
			return stream.Map(stream.Zip(of, of), func(p flow.Pair[int, int]) int { return p.A + p.B })
		}},
		{"chain of stages", func(n int) source {
			s := of
			for range n / 50 {
				s = stream.Map(s, key)
			}
			return stream.Take(s, 50)
		}},
	}
	var rows []growing
	for _, s := range stages {
		rows = append(rows, growing{"streams/" + s.name, func(n int) {
			_ = must(run(stream.Count(s.stage(n)), numbers(n)))
		}})
	}
	return append(rows, sinks()...)
}

// sinks returns cases of package stream, namely sinks, stages with goroutines, stream.All and an observed stream, and cases of
// outputs of package flow.
func sinks() []growing {
	of := stream.Slice[int]()
	background := context.Background()
	text := func(n int) *strings.Reader { return strings.NewReader(strings.Repeat("line\n", n)) }
	count := func(s stream.Stream[[]int, int]) func(n int) {
		return func(n int) { must(flow.Run(background, stream.Count(s), numbers(n))) }
	}
	branches := func(n int) []step.Step[stream.Feed[int], int] {
		return slices.Repeat([]step.Step[stream.Feed[int], int]{stream.Count(stream.Fed[int]())}, n)
	}
	return []growing{
		{"streams/lines", func(n int) { must(flow.Run(background, stream.Count(stream.Lines[*strings.Reader](10)), text(n))) }},
		{"streams/lines: all wait", func(n int) {
			must(flow.Run(background, stream.Count(stream.Lines[*strings.Reader](n)), text(n)))
		}},
		{"streams/records", func(n int) {
			must(flow.Run(background, stream.Count(stream.Records[*strings.Reader](10, bufio.ScanWords)), text(n)))
		}},
		{"streams/await", count(stream.Await(of, stream.Bound{Limit: 2, Buffer: 100}, func(_ context.Context, n int) (int, error) { return n, nil }))},
		{"streams/generate", count(stream.Generate(10, func(_ context.Context, in []int, yield func(int) bool) error {
			for _, n := range in {
				yield(n)
			}
			return nil
		}))},
		{"streams/collect", func(n int) { must(run(stream.Collect(of), numbers(n))) }},
		{"streams/consume", func(n int) {
			must(flow.Run(background, stream.Consume(of, n, func(_ context.Context, _ []int, all iter.Seq[int]) (sum int, _ error) {
				for v := range all {
					sum += v
				}
				return sum, nil
			}), numbers(n)))
		}},
		{"streams/consume: a range for each element", func(n int) {
			must(flow.Run(background, stream.Consume(of, n, func(_ context.Context, _ []int, all iter.Seq[int]) (int, error) {
				for more := true; more; {
					more = false
					for range all {
						more = true
						break
					}
				}
				return 0, nil
			}), numbers(n)))
		}},
		{"streams/all", func(n int) {
			for _, err := range stream.All(background, of, numbers(n)) {
				must(0, err)
			}
		}},
		{"streams/broadcast", func(n int) { must(run(stream.Broadcast(of, n, branches(3)...), numbers(n))) }},
		{"streams/broadcast: many branches", func(n int) { must(run(stream.Broadcast(of, 10, branches(n)...), numbers(10))) }},
		{"streams/observed", func(n int) {
			s := of
			for range n / 50 {
				s = stream.Map(s, func(n int) int { return n })
			}
			ctx := observe.With(background, observe.Flight(10))
			must(flow.Run(ctx, stream.Count(s), numbers(50)))
		}},
		{"outputs/values that wait", func(n int) {
			out := flow.NewOutput[int]("values")
			for range flow.RunOutput(background, out, flow.ParEach(n, out.Emit()), numbers(n)).All() {
			}
		}},
		{"outputs/values that are withdrawn", func(n int) {
			out := flow.NewOutput[int]("values")
			for range flow.RunOutput(background, out, flow.ParEach(n, out.Emit()), numbers(n)).All() {
				break
			}
		}},
	}
}
