package guard

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// If a guard decides on a ticket before its step has begun to wait, nothing remains of the wait.
func TestTicketDecidedBeforeItsWait(t *testing.T) {
	t.Run("granted", func(t *testing.T) {
		var c Ticket
		if err := runOp(t, func(f *frame.Frame) frame.Verdict {
			c.Ask(f)
			if !c.Grant() || c.Await() {
				t.Error("the grant isn't heard")
			}
			if c.wait.Valid(c.gen) {
				t.Error("the step still waits")
			}
			if err := c.Decided(); err != nil || !c.Inside() {
				t.Errorf("inside is %t, with %v", c.Inside(), err)
			}
			if c.Grant() || c.Refuse(errFirst) {
				t.Error("the ticket is decided twice")
			}
			if got := c.End(); got != Leave || c.Inside() {
				t.Errorf("ends with %v, inside is %t", got, c.Inside())
			}
			return frame.Done
		}); err != nil {
			t.Error(err)
		}
	})
	t.Run("refused without an error", func(t *testing.T) {
		var c Ticket
		_ = runOp(t, func(f *frame.Frame) frame.Verdict {
			c.Ask(f)
			if !c.Refuse(nil) || c.Await() {
				t.Error("the refusal isn't heard")
			}
			if err := c.Decided(); fault.CodeOf(err) != fault.InternalError {
				t.Errorf("refused with %v", err)
			}
			if got := c.End(); got != Withdraw {
				t.Errorf("ends with %v", got)
			}
			return frame.Done
		})
	})
	t.Run("refused", func(t *testing.T) {
		var c Ticket
		_ = runOp(t, func(f *frame.Frame) frame.Verdict {
			c.Ask(f)
			c.Refuse(errFirst)
			c.Await()
			if err := c.Decided(); err != errFirst {
				t.Errorf("refused with %v", err)
			}
			c.End()
			return frame.Done
		})
	})
}

// G1, C6: a ticket that has ended can't be granted or refused any more.
func TestTicketThatHasEnded(t *testing.T) {
	var c Ticket
	if err := runOp(t, func(f *frame.Frame) frame.Verdict {
		c.Ask(f)
		c.Await()
		c.Resume()
		if got := c.End(); got != Withdraw {
			t.Errorf("ends with %v", got)
		}
		if c.Grant() || c.Refuse(errFirst) {
			t.Error("it is decided")
		}
		if got := c.End(); got != Nothing {
			t.Errorf("ends again with %v", got)
		}
		return frame.Done
	}); err != nil {
		t.Error(err)
	}
}

// G2: an outer section is found from its entry until it is left.
func TestTicketsNest(t *testing.T) {
	var outer, inner, again Ticket
	outer.Init("a")
	inner.Init("b")
	again.Init("a")
	lock := new(Lock)
	if err := runOp(t, func(f *frame.Frame) frame.Verdict {
		outer.Ask(f)
		if outer.Again() || outer.Holds(lock) {
			t.Error("inside before it has entered")
		}
		outer.Bind(lock)
		outer.Enter()
		inner.Ask(f)
		if inner.Again() || !inner.Holds(lock) {
			t.Error("the two guards are taken for one, or the lock isn't known")
		}
		inner.Enter()
		again.Ask(f)
		if !again.Again() || !again.Holds(lock) {
			t.Error("the outer section isn't known")
		}
		again.End()
		inner.End()
		if !again.Again() || !again.Holds(lock) {
			t.Error("the outer section isn't known after the inner one")
		}
		outer.End()
		outer.Forget()
		if outer.Bound() != nil || again.Again() || again.Holds(lock) {
			t.Error("a section that was left is known")
		}
		return frame.Done
	}); err != nil {
		t.Error(err)
	}
}

type clockedLoop struct {
	*tooltest.Loop
	host *tool.Host
}

func (l *clockedLoop) Host() *tool.Host { return l.host }

// The clock of a loop may be code of the user's: it isn't read while the ticket is locked, nor before the ticket is
// inside.
func TestClockOfAnUnlockedTicket(t *testing.T) {
	var c Ticket
	reads := 0
	l := &clockedLoop{Loop: tooltest.New()}
	l.host = tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration {
		if c.frame == nil {
			return 0 // the ticket isn't in use
		}
		if reads++; !c.mu.TryLock() {
			t.Error("the ticket is locked")
			return 0
		}
		c.mu.Unlock()
		if !c.inside || c.locks.inside != &c {
			t.Error("the ticket isn't inside")
		}
		return 0
	}))
	run := startRun(t, l, &opFunc{exec: func(f *frame.Frame) frame.Verdict {
		for name, enter := range map[string]func(){
			"at once": c.Enter,
			"granted": func() {
				c.Grant()
				if err := c.Decided(); err != nil {
					t.Error(err)
				}
			},
		} {
			c.Ask(f)
			c.Clock()
			reads = 0
			if enter(); reads != 1 {
				t.Errorf("%s: the clock was read %d times", name, reads)
			}
			c.End()
		}
		c.frame = nil
		return frame.Done
	}})
	l.Run()
	if !run.HasEnded() || run.Result() != nil {
		t.Errorf("ended: %t, with %v", run.HasEnded(), run.Result())
	}
}

func TestEndedTicketHoldsNothing(t *testing.T) {
	var c Ticket
	var held weak.Pointer[fault.Error]
	if err := runOp(t, func(f *frame.Frame) frame.Verdict {
		refusal := fault.New("Mine", "")
		held = weak.Make(refusal)
		c.Ask(f)
		c.Refuse(refusal)
		c.End()
		return frame.Done
	}); err != nil {
		t.Error(err)
	}
	runtime.GC()
	if held.Value() != nil {
		t.Error("the refusal is held")
	}
	runtime.KeepAlive(&c)
}

// The memory of a ticket may lie in a pool after its section.
func TestForgottenTicketHoldsNoGuard(t *testing.T) {
	var c Ticket
	var held weak.Pointer[Lock]
	if err := runOp(t, func(f *frame.Frame) frame.Verdict {
		lock := new(Lock)
		held = weak.Make(lock)
		c.Init(lock)
		c.Ask(f)
		c.Bind(lock)
		c.Enter()
		c.End()
		c.Forget()
		return frame.Done
	}); err != nil {
		t.Error(err)
	}
	runtime.GC()
	if held.Value() != nil {
		t.Error("the guard is held")
	}
	runtime.KeepAlive(&c)
}
