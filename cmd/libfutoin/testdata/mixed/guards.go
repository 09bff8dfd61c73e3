package main

// #include "engine.h"
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

const rounds = 50

func init() {
	cases["our_mutex"] = func() error { return contended(syncx.NewMutex(2, -1), nil, 2) }
	cases["our_throttle"] = func() error {
		return contended(syncx.NewThrottle(300, least, -1), nil, 1000)
	}
	cases["our_limiter"] = func() error {
		return contended(syncx.NewLimiter(syncx.Limits{
			Concurrent: 1, MaxQueue: -1, Rate: 300, Period: least, Burst: -1,
		}), nil, 1)
	}
	cases["our_full_queue"] = fullQueue
	cases["their_mutex"] = func() error {
		p := C.their_mutex(2, 1000)
		defer C.their_free(p)
		return contended(nil, p, 2)
	}
	cases["their_throttle"] = func() error { return onOneLoop(false) }
	cases["their_limiter"] = func() error { return onOneLoop(true) }
}

// stays is a section of Go that stays inside for a turn of its loop.
var stays = step.New(func(as step.Scope, n int) step.Next[int] {
	C.enters()
	return step.Wait(as, func(done step.Done[int]) {
		_, _ = as.Loop().Immediate(func() {
			C.leaves()
			done.Succeed(n)
		})
	})
})

// entering returns a step that enters g again and again.
func entering(g syncx.Guard) step.Step[int, int] {
	value := step.Map(func(t loopx.Iteration[int]) int { return t.Carry })
	return loopx.Repeat(rounds, flow.Then(value, syncx.Sync(g, stays)))
}

// contended lets many flows enter a guard, and returns an error if more than most were inside at the same time. Flows of Go on
// two loops enter any guard. Flows of C++ on two engines enter a guard of ours as well.
func contended(ours syncx.Guard, theirs *C.FutoInSync, most int) error {
	g := ours
	var all sync.WaitGroup
	errs := make(chan error, 100)
	if ours != nil {
		lent, err := cabi.NewSync(ours)
		if err != nil {
			return err
		}
		defer lent.Free()
		for range 2 {
			e := C.engine_new()
			defer C.engine_free(e)
			for range 3 {
				all.Go(func() {
					_, code := listen(func(told C.uintptr_t) {
						C.contends(e, (*C.FutoInSync)(lent.Binary()), rounds, told)
					})
					if code != "" {
						errs <- errors.New("C++: " + code)
					}
				})
			}
		}
	} else {
		var err error
		if g, err = cabi.WrapSync(unsafe.Pointer(theirs)); err != nil {
			return err
		}
	}
	plan := entering(g)
	for range 2 {
		l := tool.Start(tool.Options{})
		defer func() { _ = l.Shutdown(ctx) }()
		for range 3 {
			all.Go(func() {
				_, err := flow.Start(ctx, l, plan, 0).Wait(ctx)
				errs <- err
			})
		}
	}
	all.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	if n := int(C.most_inside()); n > most || n == 0 {
		return fmt.Errorf("%d were inside at a time", n)
	}
	return idle(g)
}

// idle returns an error if g is a Mutex of ours, and a flow is still inside or waits for it.
func idle(g syncx.Guard) error {
	if m, ok := g.(*syncx.Mutex); ok && m.Inside()+m.Queued() != 0 {
		return fmt.Errorf("%d are inside, %d wait", m.Inside(), m.Queued())
	}
	return nil
}

// A flow of C++ that our guard refuses gets the error, and never enters.
func fullQueue() error {
	m := syncx.NewMutex(1, 0)
	lent, err := cabi.NewSync(m)
	if err != nil {
		return err
	}
	defer lent.Free()
	e := C.engine_new()
	defer C.engine_free(e)
	l := tool.Start(tool.Options{})
	defer func() { _ = l.Shutdown(ctx) }()
	inside, leave := make(chan struct{}), make(chan struct{})
	holds := step.Func(func(_ step.Scope, n int) (int, error) {
		close(inside)
		<-leave
		return n, nil
	})
	run := flow.Start(ctx, l, syncx.Sync(m, holds), 0)
	<-inside
	_, code := listen(func(told C.uintptr_t) { C.contends(e, (*C.FutoInSync)(lent.Binary()), 1, told) })
	close(leave)
	if _, err := run.Wait(ctx); err != nil {
		return err
	}
	if code != "DefenseRejected" || C.most_inside() != 0 {
		return fmt.Errorf("got %q, %d inside", code, C.most_inside())
	}
	return idle(m)
}

// onOneLoop lets runs of ours enter a throttle, or a limiter, of theirs. Its timers are on our loop, because no other thread may
// let in those who wait.
func onOneLoop(limiter bool) error {
	l := tool.Start(tool.Options{})
	root := cabi.NewRoot(l)
	defer root.Free()
	var p *C.FutoInSync
	most := 1000
	err := on(l, func() {
		bsi := (*C.FutoInAsyncSteps)(root.Binary())
		if limiter {
			p, most = C.their_limiter(bsi, 1, 40, 2), 1
		} else {
			p = C.their_throttle(bsi, 40, 2)
		}
	})
	if err != nil {
		return err
	}
	g, err := cabi.WrapSync(unsafe.Pointer(p))
	if err != nil {
		return err
	}
	plan := entering(g)
	for _, r := range []*flow.Running[int]{flow.Start(ctx, l, plan, 0), flow.Start(ctx, l, plan, 0)} {
		if _, err := r.Wait(ctx); err != nil {
			return err
		}
	}
	if err := on(l, func() { C.their_free(p) }); err != nil {
		return err
	}
	if n := int(C.most_inside()); n > most || n == 0 {
		return fmt.Errorf("%d were inside at a time", n)
	}
	return l.Shutdown(ctx)
}

// on calls f on the loop, and waits for it.
func on(l *tool.Loop, f func()) error {
	done := make(chan struct{})
	_, err := l.Immediate(func() { f(); close(done) })
	if err == nil {
		<-done
	}
	return err
}
