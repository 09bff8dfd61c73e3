package tool

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/internal/goid"
	"github.com/futoin-go/asyncsteps/internal/queue"
	"github.com/futoin-go/asyncsteps/internal/reserve"
)

// driven makes a loop of this package a drive.Loop, by which the machine in internal/frame uses it.
type driven core

var _ drive.Loop = (*driven)(nil)

var _ = drive.Provide(func(t any) (drive.Loop, *goid.Seat, bool) {
	switch t := t.(type) {
	case *Loop:
		return (*driven)(t.core), &t.seat, true
	case *Manual:
		return (*driven)(t.core), &t.seat, true
	default:
		return nil, nil, false
	}
})

func (d *driven) Seat() *goid.Seat { return &d.seat }

func (d *driven) Post(x *queue.Item) error {
	c := (*core)(d)
	if !c.seat.Sure() {
		if !c.push(x) {
			return ErrShutdown
		}
		return nil
	}
	return d.PostHere(x)
}

func (d *driven) PostHere(x *queue.Item) error {
	c := (*core)(d)
	if !c.inbox.Quiet() { // as in queueHere
		if c.inbox.Closed() {
			return ErrShutdown
		}
		c.gather(true)
	}
	c.ready.Push(x)
	return nil
}

func (d *driven) ImmediateHere(fn func()) (h uint64, err error) {
	c := (*core)(d)
	switch {
	case fn == nil:
		return 0, ErrNilFunc
	case c.refuses():
		return 0, ErrShutdown
	}
	return c.queueHere(fn), nil
}

func (d *driven) Withdraw(x *queue.Item) {
	c := (*core)(d)
	if !x.Queued() {
		return
	}
	c.gather(true) // another goroutine may have posted it, so look in the inbox too
	if !c.starts.Remove(x) {
		c.ready.Remove(x)
	}
}

func (d *driven) Arm(after time.Duration, fn func()) (h uint64, deadline time.Duration, err error) {
	return (*core)(d).arm(after, fn)
}

func (d *driven) Turns(enough drive.Until) (worked bool) { return (*core)(d).turns(enough) }

func (d *driven) Reserve() *reserve.Reserve { return &d.reserve }

func (d *driven) Empty() bool {
	c := (*core)(d)
	return c.inbox.Quiet() && c.armed.Load() == 0 && c.idle()
}
