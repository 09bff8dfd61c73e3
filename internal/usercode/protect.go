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

// ErrGoexit stands for user code that ended its goroutine, as t.FailNow does.
var ErrGoexit = errors.New("runtime.Goexit was called")

// Protect calls fn and then after. broken is the panic or the Goexit of fn as an error, or nil. After a Goexit the goroutine
// ends when after has returned.
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

// past is a context that has ended: context.AfterFunc calls its function at once, on a goroutine of its own.
var past = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// HostOf returns the host of t for code of this library, which keeps the host no longer than its run lives. When user code
// calls Host of a private loop, no other run gets that loop later; HostOf has no such effect.
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
	// HostWithin returns the host, but doesn't count as a call of Host by user code: see HostOf.
	HostWithin() *tool.Host
}

// Nobody is a host without a loop. It logs what is reported to it, and its clock shows real time.
var Nobody = tool.NewHost(tool.TurnLimits{})
