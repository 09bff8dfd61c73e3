package usercode

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

// wrapper wraps a user's context, whose methods may panic or end the goroutine. Package context calls these methods too, on
// goroutines where a panic would end the process.
//
// Deadline and Value return zero values if the methods of the context panic. After a panic in Done or Err, and after Goexit in
// any method, the context counts as ended with an error that says so, and its methods aren't called again. A panic in a deferred
// function that Goexit has called counts as a panic.
type wrapper struct {
	ctx    context.Context
	done   <-chan struct{}
	host   *tool.Host // the first panic or Goexit is reported to it
	told   atomic.Bool
	broken atomic.Pointer[error]
}

// Context returns ctx, or a wrapper with the same deadline, end and values whose methods don't panic. The first panic or
// Goexit of a method of ctx is reported to host, or logged if host is nil.
func Context(ctx context.Context, host *tool.Host) context.Context {
	if _, already := ctx.(*wrapper); already || ctx == context.Background() || ctx == context.TODO() {
		return ctx
	}
	if host == nil {
		host = Nobody
	}
	if _, calm := ctx.(interface{ calm() }); calm {
		return ctx
	}
	c := &wrapper{ctx: ctx, host: host}
	if err := c.ask(true, func() { c.done = ctx.Done() }); err != nil {
		c.done = closed // otherwise a goroutine that waits for the end of the context would wait for ever
	}
	return c
}

// Calm is a context that the machine has made, so that its methods don't panic. [Context] doesn't wrap a context that embeds
// Calm; the methods of that context must call no other user code.
type Calm struct{ context.Context }

func (Calm) calm() {}

// closed is the result of Done for contexts whose own Done has panicked.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// ask calls a method of the context. It returns an error if the method panics, otherwise nil. If the method ends the goroutine,
// ask doesn't return. After Goexit, and if ends is true also after a panic, the context counts as ended. The first panic or
// Goexit is reported.
func (c *wrapper) ask(ends bool, method func()) (broken error) {
	Protect(method, func(cause error) {
		if cause == nil {
			return
		}
		broken = brokeOff(cause)
		if ends || cause == ErrGoexit { //nolint:errorlint // the very one that Protect gives
			c.end(broken)
		}
		if c.told.CompareAndSwap(false, true) {
			c.host.Report(broken)
		}
	})
	return broken
}

func (c *wrapper) end(err error) { c.broken.CompareAndSwap(nil, &err) }

// Done returns the channel that Context got from the Done of the context, which isn't called again.
func (c *wrapper) Done() <-chan struct{} { return c.done }

// Err calls the Err of the context, unless the context counts as ended already.
func (c *wrapper) Err() (err error) {
	if end := c.broken.Load(); end != nil {
		return *end
	}
	if broken := c.ask(true, func() { err = c.ctx.Err() }); broken != nil {
		return broken
	}
	return err
}

func (c *wrapper) Deadline() (at time.Time, ok bool) {
	if c.broken.Load() == nil {
		_ = c.ask(false, func() { at, ok = c.ctx.Deadline() }) // ask has told the host of a panic
	}
	return at, ok
}

func (c *wrapper) Value(key any) (value any) {
	if c.broken.Load() == nil {
		_ = c.ask(false, func() { value = c.ctx.Value(key) }) // as in Deadline
	}
	return value
}

// AfterFunc is called by package context, which would otherwise call Err on a goroutine of its own. If Err ended that
// goroutine, the contexts made from c would not end.
func (c *wrapper) AfterFunc(f func()) (stop func() bool) {
	return context.AfterFunc(ending{context.Background(), c.done}, func() {
		defer f() // also after Goexit, which makes c count as ended
		_ = context.Cause(c)
	})
}

// ending is a context that ends when done is closed, and has neither deadline nor values.
type ending struct {
	context.Context
	done <-chan struct{}
}

func (e ending) Done() <-chan struct{} { return e.done }

func (e ending) Err() error {
	select {
	case <-e.done:
		return context.Canceled
	default:
		return nil
	}
}

// ValueOf returns the value of ctx for key. A panic or a Goexit of the Value method is reported to host. After a panic ValueOf
// returns nil; after a Goexit it doesn't return.
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

// End describes how a context has ended.
type End struct {
	Cause  error // why it has ended; nil if it hasn't
	Late   bool  // the deadline of the context has passed
	Broken bool  // a method of the context panicked
}

// EndOf asks ctx whether it has ended. If a method of ctx panics, the End is Broken. If a method calls Goexit, EndOf doesn't
// return.
func EndOf(ctx context.Context) (end End) {
	if ctx == context.Background() {
		return end
	}
	Protect(func() {
		if err := ctx.Err(); err != nil {
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
