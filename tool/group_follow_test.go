package tool_test

import (
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/futoin-go/asyncsteps/tool"
)

func processors(t *testing.T, n int) {
	t.Helper()
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// used returns the numbers of the loops that g gives to new runs, after enough calls of Next to notice a change.
func used(g *tool.Group) []int {
	for range 64 {
		g.Next()
	}
	loops := g.Loops()
	var all []int
	for range len(loops) * 2 {
		all = append(all, slices.Index(loops, g.Next()))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestGroupFollowsProcessors(t *testing.T) {
	processors(t, 2)
	g := tool.NewGroup(0, tool.Options{})
	fixed := tool.NewGroup(2, tool.Options{})
	before := g.Loops()
	for _, step := range []struct {
		processors int
		used       []int
		loops      int
	}{
		{2, []int{0, 1}, 2},
		{4, []int{0, 1, 2, 3}, 4},
		{1, []int{0}, 4}, // the other loops may still have runs
		{3, []int{0, 1, 2}, 4},
	} {
		processors(t, step.processors)
		if got := used(g); !slices.Equal(got, step.used) {
			t.Errorf("%d processors: loops %v get new runs, want %v", step.processors, got, step.used)
		}
		if n := len(g.Loops()); n != step.loops {
			t.Errorf("%d processors: %d loops, want %d", step.processors, n, step.loops)
		}
		if got := used(fixed); !slices.Equal(got, []int{0, 1}) {
			t.Errorf("%d processors: a group of two loops uses %v", step.processors, got)
		}
	}
	if !slices.Equal(g.Loops()[:2], before) {
		t.Error("other loops have taken the place of the first ones")
	}
	for _, each := range []*tool.Group{g, fixed} {
		if err := each.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
	processors(t, 6)
	if used(g); len(g.Loops()) != 4 {
		t.Error("a group that was shut down has started loops")
	}
}

// Shutdown ends all loops that were started, even if GOMAXPROCS changes meanwhile.
func TestGroupFollowsAmongGoroutines(t *testing.T) {
	processors(t, 1)
	for range 20 {
		g := tool.NewGroup(0, tool.Options{})
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				for range 100 {
					runtime.GOMAXPROCS(1 + i)
					for range 64 {
						g.Next()
					}
				}
			})
		}
		all.Go(func() {
			if err := g.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		for _, l := range g.Loops() {
			if _, err := l.Immediate(func() {}); err == nil {
				t.Error("a loop goes on after the shutdown of its group")
			}
		}
	}
}
