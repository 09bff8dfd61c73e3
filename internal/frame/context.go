package frame

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

// guarded is a context of somebody else's whose methods may do anything. They are
// called by the machine, and by package context on goroutines where a panic would
// be the end of the process.
//
// A method that panics gives nothing. After a panic in Err, and after Goexit in any
// method, the context counts as ended with an error that tells of it, and is not
// asked again.
type guarded struct {
	ctx    context.Context
	done   <-chan struct{}
	host   *tool.Host // is told of the first such method
	told   atomic.Bool
	broken atomic.Pointer[error]
}

// Guard is ctx, or a context that can be asked in its place: it has the same
// deadline, end and values. host is told if a method breaks off; nil logs it.
func Guard(ctx context.Context, host *tool.Host) context.Context {
	if _, already := ctx.(*guarded); already || ctx == context.Background() || ctx == context.TODO() {
		return ctx
	}
	if host == nil {
		host = Nobody
	}
	c := &guarded{ctx: ctx, host: host}
	if err := c.ask(func() { c.done = ctx.Done() }); err != nil {
		c.end(err)
		c.done = closed // or who waits for it would wait for ever
	}
	return c
}

// closed is the Done of a context that has no other to give.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// ask calls a method of the context; the error says why it has not returned.
func (c *guarded) ask(method func()) (broken error) {
	Protect(method, func(cause error) {
		if cause == nil {
			return
		}
		broken = brokeOff(cause)
		if cause == errGoexit {
			c.end(broken)
		}
		if c.told.CompareAndSwap(false, true) {
			c.host.Report(broken)
		}
	})
	return broken
}

func (c *guarded) end(err error) { c.broken.CompareAndSwap(nil, &err) }

// Done is what the context's own method gave once: it is always the same.
func (c *guarded) Done() <-chan struct{} { return c.done }

// Err asks the context until that has broken off.
func (c *guarded) Err() (err error) {
	if end := c.broken.Load(); end != nil {
		return *end
	}
	if broken := c.ask(func() { err = c.ctx.Err() }); broken != nil {
		c.end(broken)
		return broken
	}
	return err
}

// Deadline is none if the context doesn't say.
func (c *guarded) Deadline() (at time.Time, ok bool) {
	if c.broken.Load() == nil {
		_ = c.ask(func() { at, ok = c.ctx.Deadline() }) // it has told the host
	}
	return at, ok
}

// Value is nil if the context doesn't say.
func (c *guarded) Value(key any) (value any) {
	if c.broken.Load() == nil {
		_ = c.ask(func() { value = c.ctx.Value(key) }) // as above
	}
	return value
}

// AfterFunc is what package context calls for a context that isn't one of its own.
// It would ask that on a goroutine, and if this ended, tell nobody.
func (c *guarded) AfterFunc(f func()) (stop func() bool) {
	return context.AfterFunc(ending{c.done}, func() {
		defer f() // also after Goexit: then the answers are known
		_ = context.Cause(c)
	})
}

// ending is a context that has an end and nothing else.
type ending struct{ done <-chan struct{} }

func (e ending) Done() <-chan struct{}           { return e.done }
func (ending) Deadline() (at time.Time, ok bool) { return at, false }
func (ending) Value(any) any                     { return nil }

func (e ending) Err() error {
	select {
	case <-e.done:
		return context.Canceled
	default:
		return nil
	}
}

// ValueOf is a value of ctx, nil if ctx breaks off, of which host is told then.
func ValueOf(ctx context.Context, host *tool.Host, key any) (value any) {
	Protect(func() { value = ctx.Value(key) }, func(broken error) {
		if broken != nil {
			host.Report(brokeOff(broken))
		}
	})
	return value
}

func brokeOff(cause error) error {
	return fault.Wrap(fault.InternalError, "a method of the run's context broke off", cause)
}

// End is how a context has ended.
type End struct {
	Cause  error // nil: it has not
	Late   bool  // its deadline has passed
	Broken bool  // a method of it did not return
}

// EndOf asks ctx whether it has ended. A panic of what it asks is a broken end.
func EndOf(ctx context.Context) (end End) {
	if ctx == context.Background() {
		return end
	}
	Protect(func() {
		if err := ctx.Err(); err != nil {
			end.Cause = err
			end.Cause = context.Cause(ctx)
			end.Late = fault.Is(err, context.DeadlineExceeded)
		}
	}, func(broken error) {
		if broken != nil {
			end.Broken = true
			end.Cause = brokeOff(broken)
		}
	})
	return end
}
