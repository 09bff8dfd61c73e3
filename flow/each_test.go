package flow_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type insideCounter struct{ now, most, entered int }

// step returns a step that counts as inside for its input in milliseconds, and gives ten times the input.
func (c *insideCounter) step() step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		c.now++
		c.entered++
		c.most = max(c.most, c.now)
		as.SetCancel(func() { c.now-- })
		return step.Wait(as, func(done step.Done[int]) {
			as.Loop().Deferred(time.Duration(in)*time.Millisecond, func() {
				if done.Succeed(10 * in) {
					c.now--
				}
			})
		})
	})
}

func TestParEach(t *testing.T) {
	t.Run("P1 results in the order of the elements, at most bound at a time", func(t *testing.T) {
		for bound := 1; bound <= 7; bound++ {
			var c insideCounter
			plantest.WantResult(t, flow.ParEach(bound, c.step()), []int{5, 1, 4, 2, 3}, []int{50, 10, 40, 20, 30})
			if want := min(bound, 5); c.most != want {
				t.Errorf("bound %d: %d at a time", bound, c.most)
			}
			if c.now != 0 || c.entered != 5 {
				t.Errorf("bound %d: %d are left of %d", bound, c.now, c.entered)
			}
		}
	})

	t.Run("P1 elements start in order, as soon as there is room", func(t *testing.T) {
		var rec recorder
		s := flow.Then(step.Map(func(in int) int { rec.Recordf("%d", in); return in }), flow.Then(step.New(func(as step.Scope, in int) step.Next[int] {
			return step.Into(as, step.Delay[int](time.Duration(in)*time.Second), in)
		}), step.Map(func(in int) int { rec.Recordf("%d ends", in); return in })))
		plantest.WantResult(t, flow.ParEach(2, s), []int{5, 1, 2, 3}, []int{5, 1, 2, 3})
		rec.Want(t, "5", "1", "1 ends", "2", "2 ends", "3", "5 ends", "3 ends")
	})

	t.Run("P1 O4 elements start in order, wherever a turn of the run ends", func(t *testing.T) {
		const n = 300
		in := make([]int, n)
		for i := range in {
			in[i] = i
		}
		same := step.Map(func(in []int) []int { return in })
		for _, bound := range []int{1, 50, 64, n} {
			var begun []int
			begins := step.Map(func(i int) int { begun = append(begun, i); return i })
			waits := flow.Then(begins, flow.Then(plantest.Add(0), flow.Then(step.Delay[int](oneSecond), plantest.Add(0))))
			for name, s := range map[string]step.Step[[]int, []int]{
				"ParEach": flow.ParEach(bound, waits), "Tasks": numbers.All(bound, waits),
			} {
				for before := range 5 { // steps before, so that turns end at different points of an element
					begun = nil
					plantest.WantResult(t, flow.Chain(append(slices.Repeat([]step.Step[[]int, []int]{same}, before), s)...), in, in)
					if !slices.Equal(begun, in) {
						t.Errorf("%s, bound %d, after %d steps: begun %d", name, bound, before, begun)
					}
				}
			}
		}
	})

	t.Run("P2 no elements", func(t *testing.T) {
		p := flow.ParEach(3, plantest.Add(1))
		plantest.WantResult(t, p, nil, []int{})
		plantest.WantResult(t, p, []int{}, []int{})
	})

	t.Run("P3 an error ends the others, the rest never starts", func(t *testing.T) {
		var c insideCounter
		s := step.New(func(as step.Scope, in int) step.Next[int] {
			if in < 0 {
				return step.Fail[int](errFirst)
			}
			return step.Into(as, c.step(), in)
		})
		loop, run := plantest.Start(t, flow.ParEach(2, flow.Named("element", s)), []int{9, 1, 1, -1, 1, 1})
		loop.Run()
		_, err := plantest.Result(t, run)
		e := plantest.WantCode(t, err, errFirst.Code)
		if e.Path != "0/each.3/0" || e.Name != "element" {
			t.Errorf("path %q, name %q", e.Path, e.Name)
		}
		if c.entered != 3 || c.now != 0 {
			t.Errorf("%d began, %d are left", c.entered, c.now)
		}
	})

	t.Run("C1, C3 cancel and timeout leave each that has begun", func(t *testing.T) {
		var c insideCounter
		p := flow.Timeout(time.Second, flow.ParEach(3, c.step()))
		loop, run := plantest.Start(t, p, slices.Repeat([]int{5000}, 10))
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Timeout)
		if c.entered != 3 || c.now != 0 {
			t.Errorf("timeout: %d began, %d are left", c.entered, c.now)
		}
		loop, run = plantest.Start(t, p, slices.Repeat([]int{1}, 10))
		loop.Advance(time.Millisecond)
		run.Cancel(nil)
		loop.Advance(0)
		_, err = plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled)
		if c.entered != 9 || c.now != 0 {
			t.Errorf("cancel: %d began, %d are left", c.entered-3, c.now)
		}
	})

	t.Run("a bound of zero is reported", func(t *testing.T) {
		if err := flow.ParEach(0, plantest.Add(1)).Err(); !errors.Is(err, fault.InvalidRequest) {
			t.Error(err)
		}
	})

	t.Run("a bound below zero is none", func(t *testing.T) {
		var now, most int
		count := func(change int) step.Step[int, int] {
			return step.Map(func(n int) int { now += change; most = max(most, now); return n })
		}
		s := flow.Then(count(1), flow.Then(step.Delay[int](time.Millisecond), count(-1)))
		out, err := plantest.Run(t, flow.ParEach(-1, s), make([]int, 1000))
		if err != nil || len(out) != 1000 || most != 1000 {
			t.Error(err, len(out), most)
		}
	})

	t.Run("the result is the caller's own", func(t *testing.T) {
		p := flow.ParEach(2, plantest.Add(1))
		first, _ := plantest.Run(t, p, []int{1, 2, 3})
		second, _ := plantest.Run(t, p, []int{10, 20, 30})
		if fmt.Sprint(first, second) != "[2 3 4] [11 21 31]" {
			t.Errorf("got %v %v", first, second)
		}
	})

	t.Run("lanes grow and shrink from run to run", func(t *testing.T) {
		p := flow.ParEach(5000, flow.Then(step.Delay[int](time.Millisecond), plantest.Add(1)))
		for _, n := range []int{1, 3000, 2, 0, 1500, 6000, 4} {
			in, want := make([]int, n), make([]int, n)
			for i := range in {
				in[i], want[i] = i, i+1
			}
			plantest.WantResult(t, p, in, want)
		}
	})
}

// Eight elements of a large slice are under way at a time.
func TestParEachHuge(t *testing.T) {
	const n = 100_000
	var c insideCounter
	in := make([]int, n)
	for i := range in {
		in[i] = i % 3
	}
	got, err := plantest.Run(t, flow.ParEach(8, c.step()), in)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if v != 10*in[i] {
			t.Fatalf("%d: %d", i, v)
		}
	}
	if c.most != 8 || c.entered != n || c.now != 0 {
		t.Errorf("%+v", c)
	}
}

func TestParEachNested(t *testing.T) {
	rows := [][]int{{1, 2, 3}, {}, {4}, {5, 6, 7, 8}}
	row := sum(flow.ParEach(2, flow.Then(step.Delay[int](time.Millisecond), plantest.Add(1))))
	plantest.WantResult(t, flow.ParEach(3, row), rows, []int{9, 0, 5, 30})
	plantest.WantResult(t, flow.Par(sum(flow.ParEach(3, row)), sum(flow.ParEach(1, row))), rows, []int{44, 44})

	failing := sum(flow.ParEach(2, step.Func(func(_ step.Scope, in int) (int, error) {
		if in == 5 {
			return 0, errFirst
		}
		return in, nil
	})))
	mended := flow.Catch(failing, func(step.Scope, error) step.Next[int] { return step.Succeed(-1) })
	plantest.WantResult(t, flow.ParEach(2, mended), rows, []int{6, 0, 4, -1})
	_, err := plantest.Run(t, flow.ParEach(2, failing), rows)
	if e := plantest.WantCode(t, err, errFirst.Code); e.Path != "0/each.3/0/each.0/0" {
		t.Errorf("path %q", e.Path)
	}
}

// P1, O4: elements begin in their order wherever a turn of the run ends, also in a race.
func TestP1ElementsBeginInOrder(t *testing.T) {
	pass := step.Map(func(in int) int { return in })
	for name, inside := range map[string]func(step.Step[[]int, []int]) step.Step[[]int, []int]{
		"alone":     func(s step.Step[[]int, []int]) step.Step[[]int, []int] { return s },
		"in a race": func(s step.Step[[]int, []int]) step.Step[[]int, []int] { return flow.First(s) },
	} {
		for steps := range 150 { // a turn has at most 100
			var begun []int
			var open []step.Done[int]
			element := step.New(func(as step.Scope, in int) step.Next[int] {
				begun = append(begun, in)
				return step.Wait(as, func(done step.Done[int]) { open = append(open, done) })
			})
			last := flow.Chain(slices.Repeat([]step.Step[int, int]{pass}, steps)...)
			plan := inside(flow.ParEach(3, flow.Then(element, last)))
			loop, run := plantest.Start(t, plan, []int{1, 2, 3, 4, 5, 6, 7, 8})
			for loop.Run(); len(open) > 0; loop.Run() {
				all := open
				open = nil
				for _, done := range all {
					done.Succeed(0)
				}
			}
			if _, err := plantest.Result(t, run); err != nil || !slices.IsSorted(begun) {
				t.Fatalf("%s, with %d steps after each wait: %v, %v", name, steps, begun, err)
			}
		}
	}
}

// P1: elements begin in their order, also if the loop chooses which branch goes on.
func TestP1ElementsBeginInOrderIfTheLoopChooses(t *testing.T) {
	for lanes := 1; lanes < 5; lanes++ {
		for pick := range 5 {
			var begun []int
			begin := step.Map(func(i int) int { begun = append(begun, i); return i })
			loop := tooltest.New(tooltest.WithChooser(func(n int) int { return min(pick, n-1) }))
			run := flow.Start(t.Context(), loop, flow.ParEach(lanes, flow.Chain(begin, plantest.Add(0))), []int{0, 1, 2, 3, 4, 5, 6})
			loop.Run()
			if _, err := run.Result(); err != nil {
				t.Error(err)
			}
			if !slices.IsSorted(begun) {
				t.Errorf("%d lanes, fiber %d of those that can go: %v", lanes, pick, begun)
			}
		}
	}
}
