// Package usercode calls user code that may panic, or end its goroutine, in places where the machine would not notice: bodies
// on goroutines of their own, functions that are called while a plan is built, and the methods of contexts.
package usercode

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

// ErrGoexit is the cause when user code ended its goroutine, as t.FailNow does.
var ErrGoexit = errors.New("runtime.Goexit was called")

// Protect calls fn and then after, with the panic or the Goexit of fn as an error, or nil. After a Goexit the goroutine ends
// once after has returned.
func Protect(fn func(), after func(broken error)) {
	returned := false
	defer func() {
		switch v := recover(); {
		case v != nil:
			after(&fault.Panic{Value: v, Stack: debug.Stack()})
		case !returned:
			after(ErrGoexit)
		default:
			after(nil)
		}
	}()
	fn()
	returned = true
}

// Elsewhere calls fn on a goroutine of its own.
func Elsewhere(fn func()) { context.AfterFunc(past, fn) }

// past is a context that has ended: context.AfterFunc runs a function with it at once, on a goroutine of its own.
var past = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// HostOf returns the host of t for code of this library, which keeps it no longer than its run lives. After user code has
// called Host of a private loop, no other run gets that loop; HostOf has no such effect.
func HostOf(t tool.Tool) *tool.Host {
	switch t := t.(type) {
	case *tool.Loop: // these two come first, because a concrete type is matched faster than an interface
		return t.Host()
	case *tool.Manual:
		return t.Host()
	case Lent:
		return t.HostWithin()
	default:
		return t.Host()
	}
}

// Lent is a private loop as user code sees it.
type Lent interface {
	tool.Tool
	// HostWithin is Host for HostOf.
	HostWithin() *tool.Host
}

// Nobody is a host without a loop, which logs what is reported to it. Its clock is in real time.
var Nobody = tool.NewHost(tool.TurnLimits{})
