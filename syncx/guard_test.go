package syncx_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// manualGuard queues each flow until the test decides about it, unless enter is set.
type manualGuard struct {
	enter    func(t *syncx.Ticket) (bool, error)
	queue    []*syncx.Ticket
	left     int
	withdrew int
	paths    []string
}

func (g *manualGuard) Enter(t *syncx.Ticket) (bool, error) {
	g.paths = append(g.paths, t.Path())
	if g.enter != nil {
		return g.enter(t)
	}
	g.queue = append(g.queue, t)
	return false, nil
}

func (g *manualGuard) Leave(*syncx.Ticket)    { g.left++ }
func (g *manualGuard) Withdraw(*syncx.Ticket) { g.withdrew++ }

func (g *manualGuard) want(t *testing.T, left, withdrew int) {
	t.Helper()
	if g.left != left || g.withdrew != withdrew {
		t.Errorf("%d left, %d withdrawn; want %d, %d", g.left, g.withdrew, left, withdrew)
	}
}

var errClosed = errors.New("closed")

func TestGuard(t *testing.T) {
	t.Run("granted later", func(t *testing.T) {
		h, g := newHarness(t), new(manualGuard)
		a := h.start("a", flow.Then(h.mark("before"), syncx.Sync(g, h.mark("in"))))
		h.Run()
		h.WantEvents("before")
		if !g.queue[0].Grant() {
			t.Error("Grant of a waiting ticket: false")
		}
		if g.queue[0].Grant() || g.queue[0].Refuse(errClosed) {
			t.Error("a second decision counts")
		}
		h.WantEvents("") // O5: the step doesn't go on inside of Grant
		h.Run()
		h.WantEvents("in")
		wantResult(t, a, "a")
		g.want(t, 1, 0)
		if g.queue[0].Grant() {
			t.Error("Grant after the end: true")
		}
		if g.paths[0] != "1" {
			t.Errorf("path %q, want 1", g.paths[0])
		}
	})
	t.Run("granted before Enter returns", func(t *testing.T) {
		h, g := newHarness(t), new(manualGuard)
		g.enter = func(t *syncx.Ticket) (bool, error) { return !t.Grant(), nil }
		a := h.start("a", syncx.Sync(g, h.mark("in")))
		h.Run()
		h.WantEvents("in")
		wantResult(t, a, "a")
		g.want(t, 1, 0)
	})
	t.Run("refused later", func(t *testing.T) {
		h, g := newHarness(t), new(manualGuard)
		a := h.start("a", h.recordError("outer", syncx.Sync(g, h.recordError("inner", h.mark("in")))))
		h.Run()
		if !g.queue[0].Refuse(errClosed) {
			t.Error("Refuse of a waiting ticket: false")
		}
		h.Run()
		h.WantEvents("outer!InternalError")
		wantErr(t, a, errClosed)
		g.want(t, 0, 1)
	})
	t.Run("refused before Enter returns", func(t *testing.T) {
		h, g := newHarness(t), new(manualGuard)
		g.enter = func(t *syncx.Ticket) (bool, error) { return !t.Refuse(errClosed), nil }
		a := h.start("a", syncx.Sync(g, h.mark("in")))
		h.Run()
		h.WantEvents("")
		wantErr(t, a, errClosed)
		g.want(t, 0, 1)
	})
	t.Run("refused without an error", func(t *testing.T) {
		h, g := newHarness(t), new(manualGuard)
		a := h.start("a", syncx.Sync(g, h.mark("in")))
		h.Run()
		g.queue[0].Refuse(nil)
		h.Run()
		h.WantEvents("")
		wantErr(t, a, fault.InternalError)
		g.want(t, 0, 1)
	})
	t.Run("rejected", func(t *testing.T) {
		h, g := newHarness(t), new(manualGuard)
		g.enter = func(*syncx.Ticket) (bool, error) { return false, errClosed }
		a := h.start("a", syncx.Sync(g, h.mark("in")))
		h.Run()
		wantErr(t, a, errClosed)
		g.want(t, 0, 0)
	})
	t.Run("cancelled while queued", func(t *testing.T) {
		h, g := newHarness(t), new(manualGuard)
		a := h.start("a", syncx.Sync(g, h.mark("in")))
		h.Run()
		a.Cancel(nil)
		h.Run()
		wantErr(t, a, context.Canceled)
		g.want(t, 0, 1)
		if g.queue[0].Grant() || g.queue[0].Refuse(errClosed) {
			t.Error("a ticket that was withdrawn can be decided")
		}
	})
	t.Run("cancelled after the grant", func(t *testing.T) {
		h, g := newHarness(t), new(manualGuard)
		a := h.start("a", syncx.Sync(g, h.mark("in")))
		h.Run()
		g.queue[0].Grant()
		a.Cancel(nil)
		h.Run()
		h.WantEvents("")
		wantErr(t, a, context.Canceled)
		g.want(t, 1, 0)
	})
	t.Run("cancelled after the refusal", func(t *testing.T) {
		h, g := newHarness(t), new(manualGuard)
		a := h.start("a", syncx.Sync(g, h.mark("in")))
		h.Run()
		g.queue[0].Refuse(errClosed)
		a.Cancel(nil)
		h.Run()
		wantErr(t, a, context.Canceled)
		g.want(t, 0, 1)
	})
	t.Run("no grant to a branch that is being left", func(t *testing.T) {
		// The first branch takes a while to be cancelled; the second one leaves the queue at once all the same.
		h, g := newHarness(t), new(manualGuard)
		release := make(chan struct{})
		slow := step.Await(func(context.Context, string) (string, error) {
			<-release
			return "", nil
		})
		a := h.start("a", flow.Then(flow.Par(slow, syncx.Sync(g, h.mark("in")), flow.Then(h.recordedDelay(ms), plantest.Fail[string, string](errBody))),
			step.Map(func([]string) string { return "" })))
		h.Advance(2 * ms)
		if g.queue[0].Grant() {
			t.Error("the ticket was granted")
		}
		g.want(t, 0, 1)
		close(release)
		for _, err := a.Result(); errors.Is(err, flow.ErrRunning); _, err = a.Result() {
			h.Advance(0)
		}
		wantErr(t, a, errBody)
		h.WantEvents("+a -a")
		g.want(t, 0, 1)
		h.Run()
	})
	t.Run("a panic in Enter is an error of the step", func(t *testing.T) {
		h, g := newHarness(t), new(manualGuard)
		g.enter = func(*syncx.Ticket) (bool, error) { panic("gate") }
		a := h.start("a", h.recordError("outer", syncx.Sync(g, h.mark("in"))))
		h.Run()
		h.WantEvents("outer!InternalError")
		wantErr(t, a, fault.InternalError)
		g.want(t, 0, 0)
	})
	t.Run("a panic in Leave leaves once", func(t *testing.T) {
		h := newHarness(t)
		g := &panickingMutex{Mutex: syncx.NewMutex(1, 0)}
		a := h.start("a", syncx.Sync(g, h.mark("in")))
		h.Run()
		h.WantEvents("in")
		wantErr(t, a, fault.InternalError)
		wantStats(t, g.Mutex, 0, 0)
		if g.left != 1 {
			t.Errorf("left %d times", g.left)
		}
	})
	t.Run("Reentry: same guard, same flow, still inside", func(t *testing.T) {
		h, g, other := newHarness(t), new(manualGuard), new(manualGuard)
		g.enter = func(t *syncx.Ticket) (bool, error) {
			h.Recordf("%v", t.Reentry())
			return true, nil
		}
		other.enter = g.enter
		in := syncx.Sync(g, h.mark("in"))
		h.start("a", flow.Chain(
			syncx.Sync(g, syncx.Sync(other, in)),
			in,
			syncx.Sync(g, flow.Then(flow.Par[string](in), step.Map(func([]string) string { return "" })))))
		h.Run()
		h.WantEvents("false false true in false in false false in")
		g.want(t, 5, 0)
	})
	t.Run("a ticket tells its loop", func(t *testing.T) {
		h, g := newHarness(t), new(manualGuard)
		g.enter = func(ticket *syncx.Ticket) (bool, error) {
			if ticket.Loop() != h.Loop {
				t.Error("another loop")
			}
			return true, nil
		}
		h.start("a", syncx.Sync(g, h.mark("in")))
		h.Run()
		h.WantEvents("in")
	})
	t.Run("a ticket that was rejected doesn't keep its loop", func(t *testing.T) {
		h, other, g := newHarness(t), newHarness(t), new(manualGuard)
		var want tool.Tool
		g.enter = func(ticket *syncx.Ticket) (bool, error) {
			if ticket.Loop() != want {
				t.Error("another loop")
			}
			return false, errClosed
		}
		s := syncx.Sync(g, step.Map(func(s string) string { return s }))
		for _, h := range []*harness{h, other} {
			want = h.Loop
			h.start("a", s)
			h.Run()
		}
	})
}

type panickingMutex struct {
	*syncx.Mutex
	left int
}

func (g *panickingMutex) Leave(t *syncx.Ticket) {
	g.left++
	g.Mutex.Leave(t)
	panic("fragile")
}

type eitherGuard struct{ a, b *syncx.Mutex }

func (g *eitherGuard) Enter(t *syncx.Ticket) (bool, error) {
	if in, err := g.a.Enter(t); err == nil {
		return in, nil
	}
	return g.b.Enter(t)
}

func (g *eitherGuard) Leave(t *syncx.Ticket) {
	g.a.Leave(t) // does nothing if t isn't inside
	g.b.Leave(t)
}

func (g *eitherGuard) Withdraw(t *syncx.Ticket) { g.b.Withdraw(t) }

type eitherRate struct{ a, b *syncx.Throttle }

func (g *eitherRate) Enter(t *syncx.Ticket) (bool, error) {
	if in, err := g.a.Enter(t); err == nil {
		return in, nil
	}
	return g.b.Enter(t)
}

func (g *eitherRate) Leave(t *syncx.Ticket) {
	g.a.Leave(t) // does nothing if t isn't inside
	g.b.Leave(t)
}

func (g *eitherRate) Withdraw(t *syncx.Ticket) {
	g.a.Leave(t)
	g.b.Leave(t) // does nothing, although t may be queued
	g.b.Withdraw(t)
}

type greedyRate struct{ eitherRate }

func (g *greedyRate) Enter(t *syncx.Ticket) (bool, error) {
	if in, err := g.a.Enter(t); err != nil {
		return in, err
	}
	in, err := g.b.Enter(t)
	if err != nil {
		g.a.Leave(t)
	}
	return in, err
}

type greedy struct{ eitherGuard }

func (g *greedy) Enter(t *syncx.Ticket) (bool, error) {
	if in, err := g.a.Enter(t); err != nil {
		return in, err
	}
	in, err := g.b.Enter(t)
	if err != nil {
		g.a.Leave(t)
	}
	return in, err
}

func TestGuardOfGuards(t *testing.T) {
	t.Run("either", func(t *testing.T) {
		h := newHarness(t)
		g := &eitherGuard{syncx.NewMutex(1, 0), syncx.NewMutex(1, 1)}
		s := syncx.Sync(g, h.recordedDelay(ms))
		for _, name := range []string{"a", "b", "c"} {
			h.start(name, s)
		}
		d := h.start("d", s)
		h.Advance(0)
		wantStats(t, g.a, 1, 0)
		wantStats(t, g.b, 1, 1)
		wantErr(t, d, fault.DefenseRejected)
		h.Run()
		h.WantEvents("+a +b -a -b +c -c")
		wantStats(t, g.a, 0, 0)
		wantStats(t, g.b, 0, 0)
	})
	t.Run("G3 either of two throttles", func(t *testing.T) {
		h := newHarness(t)
		g := &eitherRate{syncx.NewThrottle(1, time.Second, 0), syncx.NewThrottle(1, time.Second, 1)}
		s := syncx.Sync(g, h.recordedDelay(ms))
		for _, name := range []string{"a", "b"} {
			h.start(name, s)
		}
		c := h.start("c", s)
		h.Advance(0)
		wantStats(t, g.a, 1, 0)
		wantStats(t, g.b, 1, 1)
		c.Cancel(nil)
		h.Run()
		h.WantEvents("+a +b -a -b")
		wantStats(t, g.a, 0, 0)
		wantStats(t, g.b, 0, 0)
	})
	t.Run("one ticket isn't for two throttles", func(t *testing.T) {
		h := newHarness(t)
		g := &greedyRate{eitherRate{syncx.NewThrottle(1, ms, 0), syncx.NewThrottle(1, ms, 1)}}
		a := h.start("a", syncx.Sync(g, h.mark("never")))
		h.Run()
		wantErr(t, a, fault.InternalError)
		h.WantEvents("")
		wantStats(t, g.a, 0, 0)
		wantStats(t, g.b, 0, 0)
	})
	t.Run("one ticket isn't for two mutexes", func(t *testing.T) {
		h := newHarness(t)
		g := &greedy{eitherGuard{syncx.NewMutex(1, 0), syncx.NewMutex(1, 1)}}
		a := h.start("a", syncx.Sync(g, h.mark("never")))
		h.Run()
		wantErr(t, a, fault.InternalError)
		h.WantEvents("")
		wantStats(t, g.a, 0, 0)
		wantStats(t, g.b, 0, 0)
	})
	t.Run("a wrapper doesn't hide the re-entry from the mutex", func(t *testing.T) {
		h := newHarness(t)
		m := syncx.NewMutex(1, 0)
		a := h.start("a", syncx.Sync(&recordingGuard{m, h}, syncx.Sync(m, syncx.Sync(&recordingGuard{m, h}, h.mark("in")))))
		h.Run()
		h.WantEvents("enter enter in leave leave")
		wantResult(t, a, "a")
		wantStats(t, m, 0, 0)
	})
}
