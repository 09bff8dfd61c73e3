package frame

import (
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/internal/goid"
	"github.com/futoin-go/asyncsteps/internal/queue"
	"github.com/futoin-go/asyncsteps/internal/reserve"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool"
)

// moveInto makes t the loop of the run. l is its drive.Loop, or nil if t has none. seat is used only if l is nil: it is the
// seat of the owner of t, or nil if that isn't known.
func (r *Run) moveInto(t tool.Tool, l drive.Loop, seat *goid.Seat) {
	if r.tool = t; l != nil {
		r.loop, r.host = l, t.Host()
		return
	}
	f, kept := r.loop.(*adapter)
	if !kept {
		f = &adapter{run: r}
		f.post.taken = func() { f.take(&f.post) }
		f.here.taken = func() { f.take(&f.here) }
	}
	f.tool, f.seat = t, seat
	r.loop, r.host = f, usercode.HostOf(t)
}

func (r *Run) moveOut() {
	r.tool, r.host = nil, nil
	if f, kept := r.loop.(*adapter); kept {
		f.tool, f.seat = nil, nil
		return
	}
	r.loop = nil
}

// adapter is a loop of another package as a [drive.Loop] for one [Run]: it queues turns as callbacks.
type adapter struct {
	run  *Run
	seat *goid.Seat

	mu         sync.Mutex
	tool       tool.Tool
	post, here callback // for posts.item and for Run.here
}

// callback queues a [queue.Item] on a loop of another package. adapter.mu guards item and posted.
type callback struct {
	taken  func()      // bound once
	item   *queue.Item // the item that was posted last
	posted tool.Handle // the callback on the loop; 0 if it isn't queued
}

func (f *adapter) of(x *queue.Item) *callback {
	if x == &f.run.here {
		return &f.here
	}
	return &f.post
}

// Seat returns the seat of a loop of tooltest, so that completions by the loop's own goroutine are tested there too. It returns
// nil for other loops.
func (f *adapter) Seat() *goid.Seat { return f.seat }

// Post implements [drive.Loop].
func (f *adapter) Post(x *queue.Item) error {
	f.mu.Lock() // until posted is set, because the loop may call the callback at once
	defer f.mu.Unlock()
	c := f.of(x)
	if c == &f.post && f.here.posted != 0 {
		return nil // the turn that is queued looks at the posts
	}
	x.Post()
	h, err := f.tool.Immediate(c.taken)
	if err != nil {
		x.Take()
		return err
	}
	c.item, c.posted = x, h
	return nil
}

// PostHere implements [drive.Loop].
func (f *adapter) PostHere(x *queue.Item) error { return f.Post(x) }

// ImmediateHere implements [drive.Loop]. The machine never calls it.
func (f *adapter) ImmediateHere(fn func()) (h uint64, err error) {
	handle, err := f.tool.Immediate(fn)
	return uint64(handle), err
}

func (f *adapter) take(c *callback) {
	f.mu.Lock()
	c.posted = 0
	c.item.Take()
	f.mu.Unlock()
	f.run.Turn()
}

// Withdraw implements [drive.Loop].
func (f *adapter) Withdraw(x *queue.Item) {
	f.mu.Lock()
	c := f.of(x)
	h := c.posted
	c.posted = 0
	f.mu.Unlock()
	x.Take()
	f.tool.Cancel(h)
}

// Arm implements [drive.Loop].
func (f *adapter) Arm(d time.Duration, fn func()) (h uint64, deadline time.Duration, err error) {
	handle, err := f.tool.Deferred(d, fn)
	if err != nil {
		return 0, 0, err
	}
	return uint64(handle), moment(f.run.host.Now(), d), nil
}

// Reserve implements [drive.Loop].
func (f *adapter) Reserve() *reserve.Reserve { return nil }

// Turns implements [drive.Loop]. The machine never calls it.
func (f *adapter) Turns(drive.Until) bool { return false }

// Empty implements [drive.Loop]. The machine never calls it.
func (f *adapter) Empty() bool { return false }
