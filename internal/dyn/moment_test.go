package dyn

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

const limit = 10 * time.Second

// disturbedRun is a root on a virtual loop, and what has happened to it.
type disturbedRun struct {
	lines  []string
	loop   *tooltest.Loop
	root   *Root
	broken Done
	inside int
	twice  bool // a section was left too often, or its wait was withdrawn
}

func (d *disturbedRun) record(line string) { d.lines = append(d.lines, line) }

// guard returns a guard that lets everybody in and counts who is inside.
func (d *disturbedRun) guard() guard.Guard {
	return guard.Guard{
		Key:   d,
		Enter: func(*guard.Ticket) (bool, error) { d.inside++; d.record("in"); return true, nil },
		Leave: func(*guard.Ticket) {
			d.record("out")
			if d.inside--; d.inside < 0 {
				d.twice = true
			}
		},
		Withdraw: func(*guard.Ticket) { d.twice = true },
	}
}

// nest adds steps, each as the sub-step of the one before. The last one runs inner. The others have a hook and a limit,
// and every fifth is in a section.
func (d *disturbedRun) nest(at *Step, levels int, inner func(*Step, *Args)) {
	if levels == 0 {
		at.Add(body{run: inner}, Code{})
		return
	}
	run := body{run: func(s *Step, _ *Args) {
		s.SetTimeout(limit / 2)
		s.SetCancel(func() { d.record("hook") })
		d.nest(s, levels-1, inner)
	}}
	if levels%5 == 0 {
		at.Sync(d.guard(), run, Code{})
		return
	}
	at.Add(run, Code{})
}

// disturbEverywhere runs the steps that the function add adds, after up to 199 other steps and beside a branch that waits.
// Before each of the first callbacks of the loop it lets something happen, each time in another run.
func disturbEverywhere(t *testing.T, add func(d *disturbedRun, s *Step), holds func(lines []string, what string) bool) {
	t.Helper()
	for before := range 200 {
		for what, disturb := range map[string]func(d *disturbedRun){
			"the limits pass":      func(d *disturbedRun) { d.loop.Lag(limit) },
			"a sibling fails":      func(d *disturbedRun) { d.broken.Fail(fault.Code("Second")) },
			"the run is cancelled": func(d *disturbedRun) { d.root.Cancel(nil) },
		} {
			for callbacks, in := 0, true; in && callbacks < 8; callbacks++ {
				d := &disturbedRun{loop: tooltest.New()}
				d.root = NewRoot(d.loop)
				p := d.root.Top().Parallel(body{}, Code{})
				p.Add(body{run: func(s *Step, _ *Args) {
					for range before {
						s.Add(body{run: func(*Step, *Args) {}}, Code{})
					}
					s.Add(body{run: func(s *Step, _ *Args) { add(d, s) }}, Code{})
				}}, Code{})
				p.Add(body{run: func(s *Step, _ *Args) {
					s.Wait()
					d.broken = s.Done()
				}}, Code{})
				ends := 0
				if err := d.root.Execute(Ended(func(error) { ends++ })); err != nil {
					t.Fatal(err)
				}
				for range callbacks {
					in = in && d.loop.Step()
				}
				disturb(d)
				d.loop.Run()
				if d.root.Cancel(nil) {
					d.loop.Run()
				}
				if d.twice || d.inside != 0 || ends != 1 || len(d.loop.Errors()) > 0 || !holds(d.lines, what) {
					t.Fatalf("after %d steps, when %s after %d callbacks: %d inside, ended %d times, told %v, %q",
						before, what, callbacks, d.inside, ends, d.loop.Errors(), d.lines)
				}
			}
		}
	}
}

func TestO7(t *testing.T) {
	t.Run("O7 C2 no hook runs after the success of the last sub-step", func(t *testing.T) {
		disturbEverywhere(t, func(d *disturbedRun, s *Step) {
			d.nest(s, 25, func(*Step, *Args) { d.record("last") })
			s.Add(body{run: func(*Step, *Args) { d.record("after") }}, Code{})
		}, func(lines []string, _ string) bool {
			last := slices.Index(lines, "last")
			return last < 0 || !slices.Contains(lines[last:], "hook")
		})
	})
	t.Run("O7 an error reaches its handler", func(t *testing.T) {
		disturbEverywhere(t, func(d *disturbedRun, s *Step) {
			s.Add(body{
				run: func(s *Step, _ *Args) {
					d.nest(s, 25, func(s *Step, _ *Args) {
						d.record("raised")
						s.Fail(fault.Code("First"))
					})
				},
				catch: func(s *Step, err error) {
					d.record(string(fault.CodeOf(err)))
					var a Args
					s.Success(&a)
				},
			}, Code{})
		}, func(lines []string, what string) bool {
			raised := slices.Index(lines, "raised")
			return raised < 0 || what == "the run is cancelled" || strings.Contains(strings.Join(lines[raised:], " "), "First")
		})
	})
}
