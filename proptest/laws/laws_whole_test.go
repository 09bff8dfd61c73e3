package laws_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Law 90, K5, P10, K1: a run that is a saga and doesn't succeed keeps no effect, and undoes none twice, also in parts that
// linger and go on in a shield after their step was left. The model doesn't know such parts.
func TestK5NothingIsKept(t *testing.T) {
	runs, undone := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			d := &drawnSaga{g: generator{t: t}}
			plan := flow.Grace(time.Hour, flow.Saga(d.draw(d.g.n("depth", 2, 6))))
			loop := tooltest.New()
			run := flow.Start(t.Context(), loop, plan, 0)
			d.play(loop, run, 2)
			_, err := run.Result()
			runs++
			for i, e := range d.effects {
				kept := e.done - e.undone
				if undone += e.undone; kept < 0 || kept > 1 || err != nil && kept > 0 {
					t.Fatalf("#%d was done %d times and undone %d times; the run: %v\n%s", i, e.done, e.undone, err, d.text.String())
				}
			}
		}
	})
	if t.Logf("%d runs, %d effects are undone", runs, undone); undone < runs/5 {
		t.Error("these are too few")
	}
}

// Law 91, G2, P6: runs may enter mutexes in any order, through branches, races, releases and undos: they all end, and then the
// mutexes are free. The plans are like those of law 90, with mutexes and more races.
func TestG2EveryRunEnds(t *testing.T) {
	runs, deadlocks := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range 40 {
			d := &drawnSaga{g: generator{t: t}}
			for range d.g.n("mutexes", 1, 2) {
				d.mutexes = append(d.mutexes, syncx.NewMutex(1, -1))
			}
			loop := tooltest.New()
			started := make([]*flow.Running[int], d.g.n("runs", 1, 2))
			for i := range started {
				plan := flow.Grace(-1, flow.Saga(d.draw(d.g.n("depth", 2, 6))))
				d.text.WriteString("\n")
				started[i] = flow.Start(t.Context(), loop, plan, 0)
			}
			d.play(loop, started[0], 1)
			for i, run := range started {
				select {
				case <-run.Done():
				default:
					t.Fatalf("run %d hasn't ended\n%s", i, d.text.String())
				}
				if _, err := run.Result(); errors.Is(err, syncx.Deadlock) {
					deadlocks++
				}
				runs++
			}
			for i, m := range d.mutexes {
				if in, queued := m.Inside(), m.Queued(); in+queued > 0 {
					t.Fatalf("mutex %d has %d inside and %d queued\n%s", i, in, queued, d.text.String())
				}
			}
		}
	})
	if t.Logf("%d runs, %d end with a deadlock", runs, deadlocks); deadlocks < runs/50 {
		t.Error("these are too few")
	}
}

// drawnSaga is a drawn plan, and counts its effects.
type drawnSaga struct {
	g       generator
	mutexes []*syncx.Mutex // that steps may enter
	effects []*deed        // one for each Undo, in the order of text
	text    strings.Builder
}

// play runs loop until it is idle. With odds of weight to 1, it cancels run at a drawn time.
func (d *drawnSaga) play(loop *tooltest.Loop, run *flow.Running[int], weight int) {
	if d.g.pick("cancelled", 1, weight) == 1 {
		loop.Advance(time.Duration(d.g.n("cancel", 0, 80)) * time.Second / 8)
		run.Cancel(nil)
	}
	loop.Run()
}

// deed counts how often an Undo was done and undone.
type deed struct{ done, undone int }

func (d *drawnSaga) draw(depth int) stage {
	if depth == 0 {
		return d.leaf()
	}
	around := []struct {
		name string
		plan func(inner func() stage) stage
	}{
		{"Linger", func(inner func() stage) stage { return flow.Linger(time.Hour, inner()) }},
		{"Shield", func(inner func() stage) stage { return flow.Shield(inner()) }},
		{"Saga", func(inner func() stage) stage { return flow.Saga(inner()) }},
		{"Undo", d.undo},
		{"Then", func(inner func() stage) stage { return flow.Then(inner(), inner()) }},
		{"First", func(inner func() stage) stage { return flow.First(inner(), inner()) }},
		{"Par", func(inner func() stage) stage {
			return flow.Then(flow.Par(inner(), inner()), step.Map(func(all []int) int { return all[0] }))
		}},
		{"Timeout", func(inner func() stage) stage { return flow.Timeout(d.pause()+1, inner()) }},
		{"Catch", func(inner func() stage) stage {
			body, handler := inner(), inner()
			return flow.Catch(body, func(as step.Scope, _ error) step.Next[int] { return step.Into(as, handler, 0) })
		}},
		{"Bracket", func(inner func() stage) stage {
			release := step.Map(func(e flow.Ended[int, int]) int { return e.Resource })
			return flow.Bracket(inner(), inner(), flow.Then(release, inner()))
		}},
		{"Sync", func(inner func() stage) stage {
			i := d.g.n("mutex", 0, len(d.mutexes)-1)
			fmt.Fprintf(&d.text, "%d ", i)
			return syncx.Sync(d.mutexes[i], inner())
		}},
	}
	weights := []int{4, 4, 4, 6, 4, 2, 2, 2, 2, 2, 0}
	if d.mutexes != nil {
		weights = []int{1, 1, 1, 3, 2, 5, 5, 1, 5, 3, 8}
	}
	row := around[d.g.pick("around", weights...)]
	d.text.WriteString(row.name + "(")
	defer d.text.WriteString(") ")
	return row.plan(func() stage { return d.draw(depth - 1) })
}

func (d *drawnSaga) leaf() stage {
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

func (d *drawnSaga) undo(inner func() stage) stage {
	e := new(deed)
	fmt.Fprintf(&d.text, "#%d ", len(d.effects))
	d.effects = append(d.effects, e)
	counts := func(times *int) stage {
		return step.Map(func(v int) int {
			*times++
			return v
		})
	}
	return flow.Undo(flow.Then(inner(), counts(&e.done)), flow.Then(step.Delay[int](d.pause()), counts(&e.undone)))
}
