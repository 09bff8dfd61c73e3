//go:build cgo

package cabi_test

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// leased lets all in, on a lease with the fence 7.
type leased struct {
	lease syncx.Lease
	left  atomic.Int32
}

func (*leased) Enter(*syncx.Ticket) (bool, error) { return true, nil }
func (g *leased) Leave(*syncx.Ticket)             { g.left.Add(1) }
func (*leased) Withdraw(*syncx.Ticket)            {}
func (g *leased) Lease(_ *syncx.Ticket, l syncx.Lease) uint64 {
	g.lease = l
	return 7
}

// G9: a guard that C uses in steps of this engine has its lease and its fence there.
func TestSyncKeepsItsLease(t *testing.T) {
	for name, around := range map[string]func(syncx.Guard) syncx.Guard{
		"the guard": func(g syncx.Guard) syncx.Guard { return g },
		"a MaxWait": func(g syncx.Guard) syncx.Guard { return syncx.MaxWait(time.Second, g) },
	} {
		t.Run(name, func(t *testing.T) {
			g := new(leased)
			s, err := cabi.NewSync(around(g))
			must(t, err)
			defer s.Free()
			m := tool.NewManual(tool.Options{OnError: func(err error) { t.Errorf("reported: %v", err) }})
			root := cabi.NewRoot(m)
			defer root.Free()
			var fence uint64
			loses := step.New(func(as step.Scope, _ struct{}) step.Next[struct{}] {
				fence = syncx.Fence(as.Context())
				l := as.Loop()
				return step.Wait(as, func(done step.Done[struct{}]) {
					_, _ = l.Immediate(func() {
						g.lease.Lose(nil)
						_, _ = l.Immediate(func() { done.Succeed(struct{}{}) })
					})
				})
			})
			inside := mock.Hook(func(p unsafe.Pointer) {
				as, err := cabi.Wrap(p)
				must(t, err)
				must(t, cabi.Add(as, &none, loses, &none))
			})
			mock.AddSync(root.Binary(), s.Binary(), inside, mock.AsksGo, 0)
			var ended error
			must(t, root.Execute(func(err error) { ended = err }))
			for m.Iterate() {
			}
			if !errors.Is(ended, syncx.LeaseLost) || fence != 7 || g.left.Load() != 1 {
				t.Errorf("ended with %v, the fence was %d, left %d times", ended, fence, g.left.Load())
			}
		})
	}
}

// A foreign flow goes on without its lease, but the guard is left when another thread takes the lease.
func TestSyncLosesItsLeaseInForeignEngine(t *testing.T) {
	e := foreign(t)
	g := new(leased)
	s, err := cabi.NewSync(g)
	must(t, err)
	defer s.Free()
	root := e.Root()
	var before int32 // how often the guard was left before the section ended
	waits := step.New(func(as step.Scope, _ struct{}) step.Next[struct{}] {
		return step.Wait(as, func(done step.Done[struct{}]) {
			_, _ = as.Loop().Deferred(200*time.Millisecond, func() {
				before = g.left.Load()
				done.Succeed(struct{}{})
			})
		})
	})
	inside := mock.Hook(func(p unsafe.Pointer) {
		must(t, cabi.Add(wrap(t, p), &none, waits, &none))
		e.Pend(1) // the virtual time stands still until Pend(-1)
		go func() {
			defer e.Pend(-1)
			if !g.lease.Lose(nil) {
				t.Error("there was no lease")
			}
			for stop := time.Now().Add(10 * time.Second); g.left.Load() == 0 && time.Now().Before(stop); {
				runtime.Gosched()
			}
		}()
	})
	mock.AddSync(root, s.Binary(), inside, mock.AsksGo, 0)
	mock.Execute(root, 0, 0)
	e.Run()
	if before != 1 || g.left.Load() != 1 {
		t.Errorf("left %d times before the end of the section, then %d times", before, g.left.Load())
	}
	mock.Free(root)
}
