package tool

import "fmt"

// Error is the type of this package's predeclared errors. They are constants: compare with [errors.Is].
type Error string

// Error returns the message.
func (e Error) Error() string { return string(e) }

const (
	// ErrShutdown is returned when a loop takes no more work. The cause with which a Shutdown stops
	// a [Registration] wraps it.
	ErrShutdown Error = "tool: loop is shut down"

	// ErrNilFunc is returned for a nil callback.
	ErrNilFunc Error = "tool: callback is nil"

	// ErrNilContext is returned by Shutdown and by [Manual.Wait] for a nil context.
	ErrNilContext Error = "tool: context is nil"

	// ErrNegativeDelay is returned by Deferred for a delay below zero.
	ErrNegativeDelay Error = "tool: delay is negative"

	// ErrAttached is returned by [Host.Attach] for a registration that already lives on a host.
	ErrAttached Error = "tool: registration is attached already"

	// ErrNoStop is returned by [Host.Attach] for a nil registration, or one whose Stop is nil.
	ErrNoStop Error = "tool: registration has no Stop"

	// ErrInLoop is returned by Shutdown when a callback of the same loop or [Group] calls it. The
	// shutdown has begun all the same; waiting for its end in the callback would never end.
	ErrInLoop Error = "tool: shutdown begun, but a loop cannot wait for itself"

	// ErrStuck is returned by Shutdown when the loop has not ended [ShutdownGrace] after the end of the
	// context: a callback blocks, or a registration ends neither by itself nor when it is stopped.
	ErrStuck Error = "tool: loop did not end within the grace period"

	// ErrBusy is returned by [Manual.Reset] while the loop is in use.
	ErrBusy Error = "tool: loop is in use"

	// ErrGoexit is reported when the goroutine of a [Loop] or of its [Watchdog] was ended with
	// [runtime.Goexit], for example by a callback or by Watchdog.Report.
	ErrGoexit Error = "tool: callback called runtime.Goexit"
)

// PanicError is the error that a loop reports when a callback has panicked. The loop goes on.
//
//spec:rule T3
type PanicError struct {
	Value any    // what was passed to panic
	Stack []byte // the goroutine's stack where it happened, as [runtime/debug.Stack] formats it
}

// Error returns a text with the value of the panic, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("tool: callback panicked: %v", e.Value) }

// Unwrap returns the value if it is an error, so that [errors.Is] and [errors.As] see through the panic.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
