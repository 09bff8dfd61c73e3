package laws_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// An atom is an element that can be recognised after any operators, alone or in a group.
type atom int

// group is an element of the tree: the atoms that were put together.
type group []atom

type groups = stream.Stream[[]group, group]

type tree struct {
	stream  groups
	ordered bool // the atoms of each source keep their order
	text    string
}

// source returns a source of in[lo:hi], where in is the input of the stream.
func (f *fates) source(lo, hi int) groups {
	f.sources = append(f.sources, [2]atom{atom(lo), atom(hi)})
	return stream.Map(stream.Input(func(in []group) []group { return in[lo:hi] }, stream.Slice[group]()), func(v group) group {
		f.taken++
		return v
	})
}

// fates records what happens to each atom.
type fates struct {
	taken               int
	delivered, lettered []atom
	heard               []atom         // atoms that reached the Broadcast
	inside, worst       map[string]int // elements in a stage, and the largest number allowed
	sources             [][2]atom      // of each, the first atom and the one behind its last
	loop                *tooltest.Loop
	mu                  sync.Mutex // guards inside and broken, which goroutines of Await change
	opens               bool       // there is a FlatMap: an element with an unfinished inner stream has a letter, and so have the elements inside
	broken              []string
}

func (f *fates) letter(err error) error {
	var left []atom
	if letter, ok := fault.AsType[*stream.Letter[group]](err); ok {
		left = letter.Element
	} else if letter, ok := fault.AsType[*stream.Letter[flow.Pair[group, group]]](err); ok {
		left = slices.Concat(letter.Element.A, letter.Element.B)
	} else if letter, ok := fault.AsType[*stream.Letter[[]group]](err); ok {
		left = slices.Concat(letter.Element...)
	} else {
		return err
	}
	f.lettered = append(f.lettered, left...)
	return nil
}

func flat(all []group) group { return slices.Concat(all...) }

func chainOf(t *rapid.T, depth, lo, hi int, f *fates) tree {
	if depth == 0 || rapid.IntRange(0, 7).Draw(t, "source") == 0 {
		c := tree{stream: f.source(lo, hi), ordered: true, text: fmt.Sprintf("%d…%d", lo, hi)}
		if rapid.Bool().Draw(t, "slow source") { // otherwise all elements are there at once, and no stage waits for one
			c.stream = stream.Through(c.stream, stream.Bound{Limit: 1}, step.Delay[group](time.Millisecond))
			c.text += " slowly"
		}
		return c
	}
	if rapid.IntRange(0, 2).Draw(t, "two") == 0 {
		return pairOf(t, depth, lo, hi, f)
	}
	c := chainOf(t, depth-1, lo, hi, f)
	n := rapid.IntRange(1, 5).Draw(t, "n")
	bound := stream.Bound{Limit: n, Buffer: rapid.IntRange(0, 4).Draw(t, "buffer"), Unordered: rapid.Bool().Draw(t, "unordered")}
	works := func(v group) (group, error) {
		if len(v) > 0 && v[0]%11 == 5 {
			return nil, errSeventh
		}
		return v, nil
	}
	name := fmt.Sprintf("stage%d", len(f.worst))
	steps := step.New(func(as step.Scope, v group) step.Next[group] {
		f.enter(name)
		step.StackCleanup(as, func(*int) { f.leave(name) })
		wait := flow.Then(step.Delay[group](pausing(int(v[0]))), step.Func(func(_ step.Scope, v group) (group, error) { return works(v) }))
		return step.Into(as, wait, v)
	})
	kind := rapid.SampledFrom([]string{
		"map", "func", "through", "await", "partition", "flatmap", "batch", "window", "throttle", "skip0", "measure",
	}).Draw(t, "operator")
	switch kind {
	case "map":
		c.stream = stream.Map(c.stream, func(v group) group { return v })
	case "func":
		c.stream = stream.Func(c.stream, works)
	case "through":
		f.worst[name] = n
		c.stream, c.ordered = stream.Through(c.stream, bound, steps), c.ordered && !bound.Unordered
	case "await":
		f.worst[name] = n
		c.stream = stream.Await(c.stream, bound, func(ctx context.Context, v group) (group, error) {
			f.enter(name)
			defer f.leave(name)
			f.pass(ctx, pausing(int(v[0])))
			return works(v)
		})
		c.ordered = c.ordered && !bound.Unordered
	case "partition":
		f.worst[name] = n
		c.stream = stream.Partition(c.stream, bound, func(v group) int { return int(v[0]) % 3 }, steps)
		c.ordered = c.ordered && !bound.Unordered
	case "flatmap":
		f.opens = true
		one := stream.Input(func(v group) []group { return []group{v} }, stream.Slice[group]())
		c.stream = stream.FlatMap(c.stream, bound, stream.Through(one, stream.Bound{Limit: 1}, step.Delay[group](time.Millisecond)))
		c.ordered = c.ordered && !bound.Unordered
	case "batch":
		c.stream = stream.Map(stream.Batch(c.stream, stream.Batching{Size: n, Wait: time.Duration(n-1) * time.Millisecond}), flat)
	case "window": // without overlap, so that an element is in one window
		c.stream = stream.Map(stream.Window(c.stream, n, n), flat)
	case "throttle":
		c.stream = stream.Throttle(c.stream, n, time.Millisecond)
	case "skip0":
		c.stream = stream.Skip(c.stream, 0)
	case "measure":
		c.stream = stream.Measure(c.stream, new(stream.Progress))
	}
	c.text = fmt.Sprintf("%s(%s, %+v)", kind, c.text, bound)
	return c
}

func pairOf(t *rapid.T, depth, lo, hi int, f *fates) tree {
	mid := rapid.IntRange(lo, hi).Draw(t, "middle")
	a, b := chainOf(t, depth-1, lo, mid, f), chainOf(t, depth-1, mid, hi, f)
	c := tree{ordered: a.ordered && b.ordered}
	kind := rapid.SampledFrom([]string{"merge", "concat", "zip"}).Draw(t, "operator of two")
	switch kind {
	case "merge":
		c.stream = stream.Merge(a.stream, b.stream)
	case "concat":
		c.stream = stream.Concat(a.stream, b.stream)
	case "zip":
		c.stream = stream.Map(stream.Zip(a.stream, b.stream), func(p flow.Pair[group, group]) group { return slices.Concat(p.A, p.B) })
	}
	c.text = fmt.Sprintf("%s(%s, %s)", kind, a.text, b.text)
	return c
}

func (f *fates) enter(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.inside[name]++; f.inside[name] > f.worst[name] {
		f.broken = append(f.broken, fmt.Sprintf("%d elements are worked on in %s, %d may be", f.inside[name], name, f.worst[name]))
	}
}

func (f *fates) leave(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inside[name]--
}

// pass blocks a goroutine until d of the loop's time has passed, or ctx has ended.
func (f *fates) pass(ctx context.Context, d time.Duration) {
	passed := make(chan struct{})
	timer, _ := f.loop.Deferred(d, func() { close(passed) })
	select {
	case <-passed:
	case <-ctx.Done():
		f.loop.Cancel(timer)
	}
}

// step runs a callback of the loop when all goroutines of the bubble wait, and reports whether there was one.
func (f *fates) step() bool {
	synctest.Wait()
	return f.loop.Step()
}

// listener is a branch of a Broadcast, and records what happens to the atoms that it gets.
type listener struct {
	fates

	few bool // it may end before the stream does
}

func (b *listener) branch(t *rapid.T) flow.Plan[stream.Feed[group], int] {
	s := stream.Fed[group]()
	n := rapid.IntRange(1, 5).Draw(t, "limit of the branch")
	bound := stream.Bound{Limit: n, Buffer: rapid.IntRange(0, 4).Draw(t, "buffer of the branch")}
	switch rapid.SampledFrom([]string{"at once", "slow", "await"}).Draw(t, "branch") {
	case "slow":
		s = stream.Through(s, bound, step.Delay[group](time.Duration(n)*time.Millisecond))
	case "await":
		s = stream.Await(s, bound, func(ctx context.Context, v group) (group, error) {
			b.pass(ctx, pausing(int(v[0])))
			return v, nil
		})
	}
	s = stream.Catch(s, b.letter)
	if b.few = rapid.IntRange(0, 3).Draw(t, "the branch takes") == 0; b.few {
		s = stream.Take(s, rapid.IntRange(0, 30).Draw(t, "take"))
	}
	return stream.ForEach(s, func(v group) error {
		b.delivered = append(b.delivered, v...)
		return nil
	})
}

// check compares the atoms that the listener was given with those that reached the Broadcast.
func (b *listener) check(t *rapid.T, text string, all []atom) {
	had := slices.Sorted(slices.Values(slices.Concat(b.delivered, b.lettered)))
	if len(had) > len(all) || !slices.Equal(had, slices.Sorted(slices.Values(all[:len(had)]))) {
		t.Fatalf("%s: of %v a branch was delivered %v, letters %v", text, all, b.delivered, b.lettered)
	}
	if !b.few && len(had) != len(all) && len(had) != 0 { // it has none if it was cancelled before it began
		t.Fatalf("%s: of %v a branch was delivered %v only, letters %v", text, all, b.delivered, b.lettered)
	}
}

func (f *fates) broadcast(t *rapid.T, s groups) (flow.Plan[[]group, int], []*listener) {
	listeners := make([]*listener, rapid.IntRange(1, 3).Draw(t, "branches"))
	branches := make([]step.Step[stream.Feed[group], int], len(listeners))
	for i := range listeners {
		listeners[i] = &listener{fates: fates{loop: f.loop}}
		branches[i] = listeners[i].branch(t)
	}
	s = stream.Map(s, func(v group) group {
		f.heard = append(f.heard, v...)
		return v
	})
	all := stream.Broadcast(s, rapid.IntRange(1, 5).Draw(t, "buffer of the broadcast"), branches...)
	return flow.Then(all, step.Map(func(n []int) int { return len(n) })), listeners
}

// Law 76 (V1): in each tree of operators, cancelled or stopped at any point, each element that was taken from a source is
// delivered or has a letter; no stage works on more elements than its limit, and without an unordered stage the elements
// of a source keep their order.
func TestChainsAccountForEachElement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { rapid.SyncTest(t, chainAccounts) })
}

func chainAccounts(t *rapid.T) {
	n := rapid.IntRange(0, 60).Draw(t, "n")
	in := make([]group, n)
	for i := range in {
		in[i] = group{atom(i)}
	}
	f := &fates{loop: tooltest.New(tooltest.WithSeed(rapid.Uint64().Draw(t, "seed"))), inside: map[string]int{}, worst: map[string]int{}}
	c := chainOf(t, rapid.IntRange(0, 6).Draw(t, "depth"), 0, n, f)
	s := stream.Catch(c.stream, f.letter)
	if rapid.IntRange(0, 3).Draw(t, "takes") == 0 {
		s = stream.Take(s, rapid.IntRange(0, 30).Draw(t, "take"))
	}
	slow := rapid.Bool().Draw(t, "slow sink")
	count := func(v group) group {
		f.delivered = append(f.delivered, v...)
		return v
	}
	s = stream.Map(s, count)
	if slow { // elements lost behind the Catch have been delivered
		s = stream.Through(s, stream.Bound{Limit: 1}, step.Delay[group](time.Millisecond))
	}
	plan := stream.Count(s)
	var listeners []*listener
	if rapid.IntRange(0, 3).Draw(t, "broadcast") == 0 {
		plan, listeners = f.broadcast(t, s)
		c.text = "broadcast(" + c.text + ")"
	}
	run := flow.Start(context.Background(), f.loop, plan, in)
	cancelled := rapid.IntRange(0, 3).Draw(t, "cancelled") != 0
	if cancelled {
		for range rapid.IntRange(0, rapid.SampledFrom([]int{20, 60, 600}).Draw(t, "within")).Draw(t, "steps") {
			f.step()
		}
		run.Cancel(nil)
	}
	for range 100_000 {
		if !f.step() {
			break
		}
	}
	_, err := run.Result()
	if errors.Is(err, flow.ErrRunning) || err != nil && !cancelled {
		t.Fatalf("%s: %v", c.text, err)
	}
	if errs := f.loop.Errors(); len(errs) > 0 || f.loop.Pending() != 0 || len(f.broken) > 0 {
		t.Fatalf("%s: reported %v; %d callbacks are left; %v", c.text, errs, f.loop.Pending(), f.broken)
	}
	all := slices.Sorted(slices.Values(slices.Concat(f.delivered, f.lettered)))
	once := slices.Compact(slices.Clone(all))
	if len(once) != len(all) && !f.opens {
		t.Fatalf("%s: twice: delivered %v, letters %v", c.text, f.delivered, f.lettered)
	}
	if delivered := slices.Compact(slices.Sorted(slices.Values(f.delivered))); len(delivered) != len(f.delivered) {
		t.Fatalf("%s: delivered twice: %v", c.text, f.delivered)
	}
	if f.taken != len(once) {
		t.Fatalf("%s: %d were taken; delivered %v, letters %v", c.text, f.taken, f.delivered, f.lettered)
	}
	for _, b := range listeners {
		b.check(t, c.text, f.heard)
	}
	if c.ordered {
		f.inOrder(t, c.text)
	}
}

func (f *fates) inOrder(t *rapid.T, text string) {
	for _, source := range f.sources {
		last := atom(-1)
		for _, v := range f.delivered {
			if source[0] <= v && v < source[1] {
				if v < last {
					t.Fatalf("%s: %v", text, f.delivered)
				}
				last = v
			}
		}
	}
}
