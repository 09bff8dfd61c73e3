package laws_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// branchTree describes a random plan: a tree of parallel branches, some inside of flow.On.
type branchTree struct {
	elsewhere bool
	steps     int // of a leaf, which yields before each of them
	kids      []branchTree
}

func branchTrees(depth int) *rapid.Generator[branchTree] {
	return rapid.Custom(func(rt *rapid.T) branchTree {
		s := branchTree{elsewhere: rapid.Bool().Draw(rt, "elsewhere")}
		if depth > 0 && rapid.IntRange(0, 3).Draw(rt, "leaf") > 0 {
			s.kids = rapid.SliceOfN(branchTrees(depth-1), 1, 3).Draw(rt, "kids")
		} else {
			s.steps = rapid.IntRange(1, 4).Draw(rt, "steps")
		}
		return s
	})
}

// treeRecord records what happens in one run of a branchTree, on any number of loops.
type treeRecord struct {
	mu          sync.Mutex
	by          map[string][]int // the steps of each leaf
	left        map[string]int   // how often each leaf was left
	n, cancelAt int              // steps so far; the run is cancelled in the one with the number cancelAt, if that isn't 0
	cancel      func()
	over, late  bool
}

func (j *treeRecord) note(leaf string, i int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.late = j.late || j.over
	j.by[leaf] = append(j.by[leaf], i)
	if j.n++; j.n == j.cancelAt {
		j.cancel()
	}
}

// plan makes the plan of s. With a nil g it runs on one loop, with flow.Call in place of flow.On. The leaf with the id
// fails returns an error in its last step.
func (s branchTree) plan(j *treeRecord, g *tool.Group, id, fails string) step.Step[int, int] {
	var p step.Step[int, int]
	if len(s.kids) == 0 {
		p = flow.Chain[int]()
		for i := range s.steps {
			p = flow.Then(p, flow.Then(step.Delay[int](0), step.Func(func(_ step.Scope, n int) (int, error) {
				j.note(id, i)
				if id == fails && i == s.steps-1 {
					return 0, errFallen
				}
				return n + 1, nil
			})))
		}
		p = flow.OnCancel(p, func(step.Scope) {
			j.mu.Lock()
			defer j.mu.Unlock()
			j.left[id]++
		})
	} else {
		kids := make([]step.Step[int, int], len(s.kids))
		for i, kid := range s.kids {
			kids[i] = kid.plan(j, g, id+strconv.Itoa(i), fails)
		}
		p = flow.Then(flow.Par(kids...), step.Map(func(all []int) int {
			n := 0
			for i, one := range all {
				n += (i + 1) * one
			}
			return n
		}))
	}
	switch {
	case !s.elsewhere:
		return p
	case g == nil:
		return flow.Call(p)
	default:
		return flow.On(g, p)
	}
}

func (s branchTree) leaves(id string, all map[string]int) map[string]int {
	if len(s.kids) == 0 {
		all[id] = s.steps
	}
	for i, kid := range s.kids {
		kid.leaves(id+strconv.Itoa(i), all)
	}
	return all
}

func (s branchTree) run(g *tool.Group, fails string, cancelAt int) (*treeRecord, int, error) {
	j := &treeRecord{by: map[string][]int{}, left: map[string]int{}, cancelAt: cancelAt}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	j.cancel = cancel
	n, err := flow.Run(ctx, s.plan(j, g, "", fails), 1)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.over = true
	return j, n, err
}

// Law 81, P9: parts of a plan on other loops do the same as without flow.On, step by step in each branch, with the same
// result, or with the same error at the same path. If the run is cancelled at any step, what has begun ends or is left once, no step runs
// after the end, and no run remains on the loops.
func TestP9OnChangesNothing(t *testing.T) {
	g := tool.NewGroup(3, tool.Options{OnError: func(err error) { t.Error(err) }})
	defer func() { _ = g.Shutdown(t.Context()) }()
	moved, cancelled := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		s := branchTrees(3).Draw(rt, "shrub")
		leaves := s.leaves("", map[string]int{})
		names := slices.Sorted(func(yield func(string) bool) {
			for id := range leaves {
				if !yield(id) {
					return
				}
			}
		})
		fails := "nobody"
		if rapid.Bool().Draw(rt, "fails") {
			fails = rapid.SampledFrom(names).Draw(rt, "which")
		}
		cancelAt := 0
		if rapid.Bool().Draw(rt, "is cancelled") {
			cancelAt = rapid.IntRange(1, 12).Draw(rt, "step")
		}
		plain, want, wantErr := s.run(nil, fails, 0)
		if s.elsewhere {
			moved++
		}
		j, got, err := s.run(g, fails, cancelAt)
		for _, l := range g.Loops() {
			if n := l.Host().Live(); n != 0 {
				rt.Errorf("%d runs are left on a loop", n)
			}
		}
		if err != nil && wantErr == nil {
			cancelled++
			if cancelAt == 0 || !errors.Is(err, fault.Cancelled) {
				rt.Fatalf("failed with %v", err)
			}
		}
		for id, steps := range j.by {
			for i, n := range steps {
				if i != n {
					rt.Fatalf("leaf %s has run its steps as %v", id, steps)
				}
			}
			ended := len(steps) == leaves[id] && id != fails
			if !ended && j.left[id] != 1 || j.left[id] > 1 {
				rt.Fatalf("leaf %s has run %d of %d steps, and was left %d times", id, len(steps), leaves[id], j.left[id])
			}
		}
		if err == nil && (wantErr != nil || got != want || fmt.Sprint(j.by) != fmt.Sprint(plain.by)) {
			rt.Fatalf("got %d, want %d, %v", got, want, wantErr)
		}
		mayBeCancelled := cancelAt > 0 && errors.Is(err, fault.Cancelled)
		if err != nil && wantErr != nil && !mayBeCancelled && told(err) != told(wantErr) {
			rt.Fatalf("got %v\nwant %v", err, wantErr)
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.late {
			rt.Fatal("a step has run after the end")
		}
	})
	if moved == 0 || cancelled == 0 {
		t.Errorf("%d ran elsewhere, %d were cancelled: the test tests nothing", moved, cancelled)
	}
}

// told returns what a run has said of the error of its leaf that fails.
func told(err error) string {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err.Error()
	}
	return fmt.Sprintf("%v at %q, the leaf's own: %t", err, e.Path, errors.Is(err, errFallen))
}
