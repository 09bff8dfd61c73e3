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

// moment is a root on a virtual loop, and what has happened to it.
type moment struct {
	lines  []string
	loop   *tooltest.Loop
	root   *Root
	broken Done
	inside int
	twice  bool // a section was left that wasn't entered
}

func (m *moment) say(line string) { m.lines = append(m.lines, line) }

// guard returns a guard that lets everybody in and counts who is inside.
func (m *moment) guard() guard.Guard {
	return guard.Guard{
		Key:   m,
		Enter: func(*guard.Ticket) (bool, error) { m.inside++; m.say("in"); return true, nil },
		Leave: func(*guard.Ticket) {
			m.say("out")
			if m.inside--; m.inside < 0 {
				m.twice = true
			}
		},
		Withdraw: func(*guard.Ticket) { m.twice = true },
	}
}

// nest adds steps, each as the last sub-step of the one before, with a hook and a limit, and every fifth in a section.
func (m *moment) nest(at *Step, levels int, inner func(*Step, *Args)) {
	if levels == 0 {
		at.Add(body{run: inner}, Code{})
		return
	}
	run := body{run: func(s *Step, _ *Args) {
		s.SetTimeout(limit / 2)
		s.SetCancel(func() { m.say("hook") })
		m.nest(s, levels-1, inner)
	}}
	if levels%5 == 0 {
		at.Sync(m.guard(), run, Code{})
		return
	}
	at.Add(run, Code{})
}

// everywhere runs the steps that add adds, beside a branch that waits until it is failed, after any number of steps. At
// each point between two callbacks of the loop it lets something happen.
func everywhere(t *testing.T, add func(m *moment, s *Step), holds func(lines []string, what string) bool) {
	t.Helper()
	for before := range 200 {
		for what, disturb := range map[string]func(m *moment){
			"the limits pass":      func(m *moment) { m.loop.Lag(limit) },
			"a sibling fails":      func(m *moment) { m.broken.Fail(fault.Code("Second")) },
			"the run is cancelled": func(m *moment) { m.root.Cancel(nil) },
		} {
			for callbacks, in := 0, true; in && callbacks < 8; callbacks++ {
				m := &moment{loop: tooltest.New()}
				m.root = NewRoot(m.loop)
				p := m.root.Top().Parallel(body{}, Code{})
				p.Add(body{run: func(s *Step, _ *Args) {
					for range before {
						s.Add(body{run: func(*Step, *Args) {}}, Code{})
					}
					s.Add(body{run: func(s *Step, _ *Args) { add(m, s) }}, Code{})
				}}, Code{})
				p.Add(body{run: func(s *Step, _ *Args) {
					s.Wait()
					m.broken = s.Done()
				}}, Code{})
				ends := 0
				if err := m.root.Execute(Ended(func(error) { ends++ })); err != nil {
					t.Fatal(err)
				}
				for range callbacks {
					in = in && m.loop.Step()
				}
				disturb(m)
				m.loop.Run()
				if m.root.Cancel(nil) {
					m.loop.Run()
				}
				if m.twice || m.inside != 0 || ends != 1 || len(m.loop.Errors()) > 0 || !holds(m.lines, what) {
					t.Fatalf("after %d steps, when %s after %d callbacks: %d inside, ended %d times, told %v, %q",
						before, what, callbacks, m.inside, ends, m.loop.Errors(), m.lines)
				}
			}
		}
	}
}

func TestO7(t *testing.T) {
	t.Run("O7 C2 no hook runs after the success of the last sub-step", func(t *testing.T) {
		everywhere(t, func(m *moment, s *Step) {
			m.nest(s, 25, func(*Step, *Args) { m.say("last") })
			s.Add(body{run: func(*Step, *Args) { m.say("after") }}, Code{})
		}, func(lines []string, _ string) bool {
			last := slices.Index(lines, "last")
			return last < 0 || !slices.Contains(lines[last:], "hook")
		})
	})
	t.Run("O7 an error reaches its handler", func(t *testing.T) {
		everywhere(t, func(m *moment, s *Step) {
			s.Add(body{
				run: func(s *Step, _ *Args) {
					m.nest(s, 25, func(s *Step, _ *Args) {
						m.say("raised")
						s.Fail(fault.Code("First"))
					})
				},
				catch: func(s *Step, err error) {
					m.say(string(fault.CodeOf(err)))
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
