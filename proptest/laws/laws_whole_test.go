package laws_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Law 90, K5, P10, K1: a run that is a saga and doesn't succeed keeps nothing of what it has done, and undoes nothing twice,
// also in parts that go on in a shield after their step was left. The model has no shields in such parts.
func TestK5NothingIsKept(t *testing.T) {
	runs, undone := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			d := &drawnSaga{g: generator{t: t}}
			plan := flow.Grace(time.Hour, flow.Saga(d.draw(d.g.n("depth", 2, 6))))
			loop := tooltest.New()
			run := flow.Start(t.Context(), loop, plan, 0)
			if d.g.pick("cancelled", 1, 2) == 1 {
				loop.Advance(time.Duration(d.g.n("cancel", 0, 80)) * time.Second / 8)
				run.Cancel(nil)
			}
			loop.Run()
			_, err := run.Result()
			runs++
			for i, times := range d.undone {
				kept := d.done[i] - times
				if undone += times; kept < 0 || kept > 1 || err != nil && kept > 0 {
					t.Fatalf("#%d was done %d times and undone %d times; the run: %v\n%s", i, d.done[i], times, err, d.text.String())
				}
			}
		}
	})
	if t.Logf("%d runs, %d effects are undone", runs, undone); undone < runs/5 {
		t.Error("these are too few")
	}
}

// drawnSaga is a plan that is drawn, and counts what is done and undone in it.
type drawnSaga struct {
	g            generator
	done, undone []int // of each Undo, in the order of text
	text         strings.Builder
}

// draw draws a stage, and prints it.
func (d *drawnSaga) draw(depth int) step.Step[int, int] {
	if depth == 0 {
		return d.leaf()
	}
	around := []struct {
		name string
		plan func(inner func() step.Step[int, int]) step.Step[int, int]
	}{
		{"Linger", func(inner func() step.Step[int, int]) step.Step[int, int] { return flow.Linger(time.Hour, inner()) }},
		{"Shield", func(inner func() step.Step[int, int]) step.Step[int, int] { return flow.Shield(inner()) }},
		{"Saga", func(inner func() step.Step[int, int]) step.Step[int, int] { return flow.Saga(inner()) }},
		{"Undo", d.undo},
		{"Then", func(inner func() step.Step[int, int]) step.Step[int, int] { return flow.Then(inner(), inner()) }},
		{"First", func(inner func() step.Step[int, int]) step.Step[int, int] { return flow.First(inner(), inner()) }},
		{"Par", func(inner func() step.Step[int, int]) step.Step[int, int] {
			return flow.Then(flow.Par(inner(), inner()), step.Map(func(all []int) int { return all[0] }))
		}},
		{"Timeout", func(inner func() step.Step[int, int]) step.Step[int, int] { return flow.Timeout(d.pause()+1, inner()) }},
		{"Catch", func(inner func() step.Step[int, int]) step.Step[int, int] {
			body, handler := inner(), inner()
			return flow.Catch(body, func(as step.Scope, _ error) step.Next[int] { return step.Into(as, handler, 0) })
		}},
		{"Bracket", func(inner func() step.Step[int, int]) step.Step[int, int] {
			release := step.Map(func(e flow.Ended[int, int]) int { return e.Resource })
			return flow.Bracket(inner(), inner(), flow.Then(release, inner()))
		}},
	}[d.g.pick("around", 4, 4, 4, 6, 4, 2, 2, 2, 2, 2)]
	d.text.WriteString(around.name + "(")
	defer d.text.WriteString(") ")
	return around.plan(func() step.Step[int, int] { return d.draw(depth - 1) })
}

// leaf draws a step that waits, and fails now and then.
func (d *drawnSaga) leaf() step.Step[int, int] {
	if d.g.pick("leaf", 5, 1) == 1 {
		d.text.WriteString("fails ")
		return step.Func(func(step.Scope, int) (int, error) { return 0, fault.New("Alpha", "") })
	}
	return step.Delay[int](d.pause())
}

func (d *drawnSaga) pause() time.Duration {
	pause := time.Duration(d.g.n("pause", 0, 11)) * time.Second / 4
	fmt.Fprint(&d.text, pause, " ")
	return pause
}

// undo draws an effect.
func (d *drawnSaga) undo(inner func() step.Step[int, int]) step.Step[int, int] {
	n := len(d.done)
	d.done, d.undone = append(d.done, 0), append(d.undone, 0)
	fmt.Fprintf(&d.text, "#%d ", n)
	counts := func(in *[]int) step.Step[int, int] {
		return step.Map(func(v int) int {
			(*in)[n]++
			return v
		})
	}
	return flow.Undo(flow.Then(inner(), counts(&d.done)), flow.Then(step.Delay[int](d.pause()), counts(&d.undone)))
}
