package guard

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type sectioned struct {
	frame.Leaf
	section *Section
	guard   *Guard
}

func (o *sectioned) Exec(f *frame.Frame) frame.Verdict {
	return o.inside(f, o.section.Enter(f, o.guard, 1))
}

func (o *sectioned) Resume(f *frame.Frame) frame.Verdict {
	return o.inside(f, o.section.Resume(f))
}

func (o *sectioned) inside(f *frame.Frame, v frame.Verdict) frame.Verdict {
	if v == frame.Entered {
		o.section.Leave(f)
		return frame.Done
	}
	return v
}

func (o *sectioned) Release(*frame.Frame) { o.section.Release() }

// A guard that breaks off may still refer to the ticket. So the ticket can't be granted any more, and serves no other
// section.
func TestSectionWithAGuardThatBreaksOff(t *testing.T) {
	for _, breaks := range []string{"Enter", "Leave", "Withdraw"} {
		t.Run(breaks, func(t *testing.T) {
			var s Section
			var kept *Ticket
			loop := tooltest.New()
			run := startRun(t, loop, &sectioned{section: &s, guard: &Guard{
				Enter: func(c *Ticket) (bool, error) {
					if kept = c; breaks == "Enter" {
						panic(errFirst)
					}
					return breaks == "Leave", nil
				},
				Leave:    func(*Ticket) { panic(errFirst) },
				Withdraw: func(*Ticket) { panic(errFirst) },
			}})
			loop.Run()
			if breaks == "Withdraw" {
				run.Cancel(nil)
				loop.Run()
			}
			if !run.HasEnded() || kept.Grant() {
				t.Errorf("it has ended: %t; its ticket can be granted", run.HasEnded())
			}
			run = startRun(t, loop, &sectioned{section: &s, guard: &Guard{
				Enter: func(c *Ticket) (bool, error) {
					if c == kept {
						t.Error("the ticket serves another section")
					}
					return true, nil
				},
				Leave: func(*Ticket) {},
			}})
			loop.Run()
			if !run.HasEnded() || run.Result() != nil {
				t.Errorf("the next section has ended: %t, with %v", run.HasEnded(), run.Result())
			}
		})
	}
}

// G1: an error of Enter counts, also if the guard has granted the ticket before: the guard is told nothing, and can't
// grant the ticket any more.
func TestSectionThatIsRejected(t *testing.T) {
	var s Section
	var kept *Ticket
	told := func(*Ticket) { t.Error("the guard is told of the end") }
	loop := tooltest.New()
	run := startRun(t, loop, &sectioned{section: &s, guard: &Guard{
		Enter: func(c *Ticket) (bool, error) {
			kept = c
			c.Grant()
			return false, errFirst
		},
		Leave: told, Withdraw: told,
	}})
	loop.Run()
	if !run.HasEnded() || fault.CodeOf(run.Result()) != "First" {
		t.Errorf("ended: %t, with %v", run.HasEnded(), run.Result())
	}
	if kept.Grant() {
		t.Error("the ticket is granted")
	}
}

// Once a queued ticket has been granted, nothing is left of its wait: a limit of the next step can end that step.
func TestSectionThatHasWaited(t *testing.T) {
	var kept *Ticket
	loop := tooltest.New()
	asleep := &opFunc{exec: func(f *frame.Frame) frame.Verdict {
		new(frame.Wait).Open(f)
		return frame.Waiting
	}}
	run := startRun(t, loop,
		&sectioned{section: new(Section), guard: &Guard{
			Enter: func(c *Ticket) (bool, error) {
				kept = c
				return false, nil
			},
			Leave: func(*Ticket) {},
		}},
		&opFunc{exec: func(f *frame.Frame) frame.Verdict {
			branch := new(frame.Frame)
			branch.Init(new(frame.Activation), &frame.Level{Ops: []frame.Op{asleep}})
			k := &frame.Fork{Branches: make([]frame.Branch, 1)}
			k.Branches[0].Enter(branch)
			f.SetTimeout(time.Second)
			return f.Fork(k)
		}})
	loop.Run()
	if !kept.Grant() {
		t.Fatal("it doesn't wait")
	}
	loop.Run()
	if !run.HasEnded() || fault.CodeOf(run.Result()) != fault.Timeout {
		t.Errorf("ended: %t", run.HasEnded())
	}
}
