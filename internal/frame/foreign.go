package frame

import (
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/internal/goid"
	"github.com/futoin-go/asyncsteps/internal/queue"
	"github.com/futoin-go/asyncsteps/tool"
)

// dwell makes t the loop of the run; l is t as a loop of package tool, nil if it isn't one.
// In that case seat is the seat of the owner of t, nil if that isn't known.
func (r *Run) dwell(t tool.Tool, l drive.Loop, seat *goid.Seat) {
	if l == nil {
		f, kept := r.loop.(*foreign)
		if !kept {
			f = &foreign{run: r}
			f.turn = f.taken
		}
		f.tool, f.seat = t, seat
		l = f
	}
	r.tool, r.loop = t, l
}

// leave undoes dwell.
func (r *Run) leave() {
	r.tool = nil
	if f, kept := r.loop.(*foreign); kept {
		f.tool = nil
		return
	}
	r.loop = nil
}

// foreign adapts a loop of another package for one run: turns are queued as callbacks.
type foreign struct {
	run  *Run
	turn func() // taken, bound once
	seat *goid.Seat

	mu     sync.Mutex
	tool   tool.Tool
	posted tool.Handle // of the queued turn
}

// Seat is known of tooltest's loop alone: so its orders are tried with completions in
// the loop, too. Nobody knows what InLoop costs elsewhere.
func (f *foreign) Seat() *goid.Seat { return f.seat }

// Post implements [drive.Loop].
func (f *foreign) Post(x *queue.Item) error {
	f.mu.Lock() // until posted is set: the loop may call taken at once
	defer f.mu.Unlock()
	x.Post()
	h, err := f.tool.Immediate(f.turn)
	if err != nil {
		x.Take()
		return err
	}
	f.posted = h
	return nil
}

// PostHere implements [drive.Loop].
func (f *foreign) PostHere(x *queue.Item) error { return f.Post(x) }

// ImmediateHere is never called by the machine.
func (f *foreign) ImmediateHere(fn func()) (h uint64, err error) {
	handle, err := f.tool.Immediate(fn)
	return uint64(handle), err
}

// taken is the callback.
func (f *foreign) taken() {
	f.mu.Lock()
	f.posted = 0
	f.mu.Unlock()
	f.run.item.Take()
	f.run.Turn()
}

// Withdraw implements [drive.Loop].
func (f *foreign) Withdraw(x *queue.Item) {
	f.mu.Lock()
	h := f.posted
	f.posted = 0
	f.mu.Unlock()
	x.Take()
	f.tool.Cancel(h)
}

// Arm implements [drive.Loop].
func (f *foreign) Arm(d time.Duration, fn func()) (h uint64, deadline time.Duration, err error) {
	handle, err := f.tool.Deferred(d, fn)
	if err != nil {
		return 0, 0, err
	}
	return uint64(handle), moment(f.tool.Host().Now(), d), nil
}

// Turns is never called by the machine.
func (f *foreign) Turns(drive.Until) bool { return false }
