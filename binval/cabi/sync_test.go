//go:build cgo

package cabi_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// queueing queues one ticket, about which the test decides.
type queueing struct {
	queued          *syncx.Ticket
	granted         bool
	left, withdrawn int
}

func (g *queueing) Enter(t *syncx.Ticket) (bool, error) {
	g.queued = t
	return false, nil
}
func (g *queueing) Leave(*syncx.Ticket)    { g.left++ }
func (g *queueing) Withdraw(*syncx.Ticket) { g.withdrawn++ }

func TestSyncInForeignEngine(t *testing.T) {
	lend := func(t *testing.T, g syncx.Guard) *cabi.Sync {
		s, err := cabi.NewSync(g)
		must(t, err)
		t.Cleanup(s.Free)
		return s
	}
	type counter struct{ inside, most, entries int }
	holds := func(c *counter) step.Step[struct{}, struct{}] {
		return step.New(func(as step.Scope, _ struct{}) step.Next[struct{}] {
			c.entries++
			c.inside++
			c.most = max(c.most, c.inside)
			return step.Wait(as, func(done step.Done[struct{}]) {
				_, _ = as.Loop().Deferred(200_000_000, func() {
					c.inside--
					done.Succeed(struct{}{})
				})
			})
		})
	}
	enter := func(t *testing.T, root unsafe.Pointer, s *cabi.Sync, eh uintptr, stage step.Step[struct{}, struct{}]) {
		hook := mock.Hook(func(p unsafe.Pointer) { must(t, cabi.Add(wrap(t, p), &none, stage, &none)) })
		mock.AddSync(root, s.Binary(), hook, mock.AsksGo, eh)
	}

	t.Run("G2 a Go mutex keeps foreign flows apart", func(t *testing.T) {
		e := foreign(t)
		m := syncx.NewMutex(2, -1)
		s := lend(t, m)
		var c counter
		roots := make([]unsafe.Pointer, 5)
		for i := range roots {
			roots[i] = e.Root()
			enter(t, roots[i], s, 0, holds(&c))
			mock.Execute(roots[i], 0, 0)
		}
		e.Run()
		if c.most != 2 || c.entries != 5 || m.Inside() != 0 || m.Queued() != 0 {
			t.Errorf("at most %d inside, %d entries; %d are, %d wait", c.most, c.entries, m.Inside(), m.Queued())
		}
		for _, r := range roots {
			mock.Free(r)
		}
	})

	t.Run("G2 the same foreign flow enters again, and G5 a full queue rejects", func(t *testing.T) {
		e := foreign(t)
		m := syncx.NewMutex(1, 0)
		s := lend(t, m)
		var c counter
		caught := mock.NewCaught()
		root, other := e.Root(), e.Root()
		again := mock.Hook(func(p unsafe.Pointer) { enter(t, p, s, 0, holds(&c)) })
		mock.AddSync(root, s.Binary(), again, mock.AsksGo, 0)
		enter(t, other, s, 0, holds(&c))
		mock.Execute(root, 0, 0)
		mock.Execute(other, caught.Data(), mock.Catches)
		e.Run()
		if c.entries != 1 || caught.Code() != "DefenseRejected" || m.Inside() != 0 {
			t.Errorf("%d entries, %q, %d inside", c.entries, caught.Code(), m.Inside())
		}
		mock.Free(root)
		mock.Free(other)
	})

	t.Run("G14 a foreign flow waits no longer than it may", func(t *testing.T) {
		e := foreign(t)
		m := syncx.NewMutex(1, -1)
		s := lend(t, syncx.MaxWait(100*time.Millisecond, m))
		var c counter
		caught := mock.NewCaught()
		root, other := e.Root(), e.Root()
		enter(t, root, s, 0, holds(&c))
		enter(t, other, s, 0, holds(&c))
		mock.Execute(root, 0, 0)
		mock.Execute(other, caught.Data(), mock.Catches)
		e.Run()
		if c.entries != 1 || caught.Code() != "DefenseRejected" || m.Inside() != 0 || m.Queued() != 0 {
			t.Errorf("%d entries, %q, %d inside, %d queued", c.entries, caught.Code(), m.Inside(), m.Queued())
		}
		mock.Free(root)
		mock.Free(other)
	})

	t.Run("G1 a foreign flow that is let in while it is being cancelled leaves", func(t *testing.T) {
		for _, decide := range []func(*syncx.Ticket) bool{
			(*syncx.Ticket).Grant,
			func(t *syncx.Ticket) bool { return t.Refuse(fault.DefenseRejected) },
		} {
			e := foreign(t)
			g := new(queueing)
			s := lend(t, g)
			var c counter
			root, stop := e.Root(), e.Root()
			enter(t, root, s, 0, holds(&c))
			mock.Execute(root, 0, 0)
			hook := mock.Hook(func(unsafe.Pointer) {
				mock.Cancel(root) // is carried out later
				g.granted = decide(g.queued)
			})
			mock.Add(stop, 0, mock.Adds, 0)
			mock.Add(stop, hook, mock.AsksGo, 0)
			mock.Execute(stop, 0, 0)
			e.Run()
			if c.entries != 0 || !g.granted || g.left+g.withdrawn != 1 {
				t.Errorf("%d entries, %+v", c.entries, g)
			}
			mock.Free(root)
			mock.Free(stop)
		}
	})

	t.Run("G1 a foreign flow that is cancelled in the queue never enters", func(t *testing.T) {
		e := foreign(t)
		m := syncx.NewMutex(1, -1)
		s := lend(t, m)
		var c counter
		root, other := e.Root(), e.Root()
		enter(t, root, s, 0, holds(&c))
		enter(t, other, s, 0, holds(&c))
		mock.Execute(root, 0, 0)
		mock.Execute(other, 0, 0)
		stop := e.Root()
		hook := mock.Hook(func(unsafe.Pointer) {
			if m.Queued() != 1 {
				t.Errorf("%d in the queue", m.Queued())
			}
			mock.Cancel(other)
		})
		mock.Add(stop, 0, mock.Adds, 0)
		mock.Add(stop, hook, mock.AsksGo, 0)
		mock.Execute(stop, 0, 0)
		e.Run()
		if c.entries != 1 || m.Inside() != 0 || m.Queued() != 0 {
			t.Errorf("%d entries, %d inside, %d queued", c.entries, m.Inside(), m.Queued())
		}
		for _, r := range []unsafe.Pointer{root, other, stop} {
			mock.Free(r)
		}
	})

	t.Run("G3 a throttle, and an error leaves the section", func(t *testing.T) {
		e := foreign(t)
		h := syncx.NewThrottle(1, 10_000_000, -1)
		s := lend(t, h)
		var caught []string
		tell := mock.HookBoth(nil, func(code string) {
			caught = append(caught, code)
			if len(caught) == 3 {
				go func() { // Run goes on until the guard is left
					for h.Inside() > 0 {
						runtime.Gosched()
					}
					e.Pend(-1)
				}()
			}
		})
		e.Pend(1) // Run waits for Pend(-1): a thread of cabi waits for the window, which is too short a delay for the foreign loop
		roots := []unsafe.Pointer{e.Root(), e.Root(), e.Root()}
		for _, r := range roots {
			mock.AddSync(r, s.Binary(), mock.Text("Inside"), mock.Fails, 0)
			mock.Execute(r, tell, mock.TellsGo)
		}
		e.Run()
		if !slices.Equal(caught, []string{"Inside", "Inside", "Inside"}) || h.Inside() != 0 || h.Queued() != 0 {
			t.Errorf("caught %q, %d inside, %d queued", caught, h.Inside(), h.Queued())
		}
		for _, r := range roots {
			mock.Free(r)
		}
	})

	t.Run("our guard comes back as itself", func(t *testing.T) {
		for _, m := range []syncx.Guard{syncx.NewMutex(1, 0), syncx.MaxWait(time.Second, syncx.NewMutex(1, -1))} {
			if g, err := cabi.WrapSync(lend(t, m).Binary()); g != m || err != nil {
				t.Errorf("got %v, %v", g, err)
			}
		}
		if _, err := cabi.NewSync(syncx.NewMutex(0, 0)); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("a bad guard: %v", err)
		}
	})
}

func TestForeignSyncInGo(t *testing.T) {
	held := cabi.Held()
	p := mock.Mutex()
	g, err := cabi.WrapSync(p)
	must(t, err)
	if same, _ := cabi.WrapSync(p); same != g {
		t.Error("two guards for one object")
	}
	m := tool.NewManual(tool.Options{OnError: func(err error) { t.Errorf("reported: %v", err) }})
	ctx := context.Background()
	var inside, most int
	section := step.New(func(as step.Scope, n int32) step.Next[int32] {
		inside++
		most = max(most, inside)
		return step.Wait(as, func(done step.Done[int32]) {
			_, _ = as.Loop().Immediate(func() {
				inside--
				done.Succeed(n + 1)
			})
		})
	})
	again := syncx.Sync(g, syncx.Sync(g, section)) // G2: the flow enters the guard that it is already in
	runs := make([]*flow.Running[int32], 4)
	for i := range runs {
		runs[i] = flow.Start(ctx, m, again, int32(i))
	}
	failing := flow.Start(ctx, m, syncx.Sync(g, step.Func(func(step.Scope, int32) (int32, error) {
		return 0, fault.New("Inside", "")
	})), 1)
	cancelled := flow.Start(ctx, m, again, 1)
	cancelled.Then(func(int32, error) {})
	for range 3 {
		m.Iterate()
	}
	cancelled.Cancel(nil)
	for m.Iterate() {
	}
	for i, r := range runs {
		if got, err := r.Result(); got != int32(i+1) || err != nil {
			t.Errorf("G1 run %d: %d, %v", i, got, err)
		}
	}
	if _, err := failing.Result(); !errors.Is(err, fault.Code("Inside")) {
		t.Errorf("got %v", err)
	}
	if _, err := cancelled.Result(); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if most != 1 || mock.Locked(p) || mock.Queued(p) != 0 {
		t.Errorf("at most %d inside; locked: %v, %d queued", most, mock.Locked(p), mock.Queued(p))
	}
	if n := cabi.Held() - held; n != 0 || cabi.Live() != 0 {
		t.Errorf("%d held, %d alive", n, cabi.Live())
	}
}

// G1: the guard is left before outer handlers are called, and before the next step, also before one of C.
func TestForeignSyncIsLeftInTime(t *testing.T) {
	held := cabi.Held()
	p := mock.Mutex()
	g, err := cabi.WrapSync(p)
	must(t, err)
	seen := func(where string) {
		t.Helper()
		if mock.Locked(p) {
			t.Errorf("still inside of the guard %s", where)
		}
	}
	inside := func(n int32) error {
		if !mock.Locked(p) {
			t.Error("not inside of the guard in its section")
		}
		if n == 0 {
			return fault.New("Inside", "")
		}
		return nil
	}
	section := step.Func(func(_ step.Scope, n int32) (int32, error) { return n, inside(n) })
	plan := flow.Then(
		flow.Catch(syncx.Sync(g, section), func(step.Scope, error) step.Next[int32] {
			seen("in an outer handler")
			return step.Succeed(int32(1))
		}),
		step.Map(func(n int32) int32 { seen("in the next step"); return n }))
	for _, n := range []int32{0, 1} {
		if _, err := flow.Run(context.Background(), plan, n); err != nil {
			t.Error(err)
		}
	}

	m := tool.NewManual(tool.Options{OnError: func(err error) { t.Errorf("reported: %v", err) }})
	root := cabi.NewRoot(m)
	section32 := mock.HookBoth(func(unsafe.Pointer) { _ = inside(1) }, nil)
	after := mock.Hook(func(unsafe.Pointer) { seen("in the next step of C") })
	mock.AddSync(root.Binary(), p, section32, mock.AsksGo, 0)
	mock.Add(root.Binary(), after, mock.AsksGo, 0)
	must(t, root.Execute(func(err error) { must(t, err) }))
	for m.Iterate() {
	}
	root.Free()
	if n := cabi.Held() - held; n != 0 || cabi.Live() != 0 {
		t.Errorf("%d held, %d alive", n, cabi.Live())
	}
}
