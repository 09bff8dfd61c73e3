// Package keptscope uses scopes when their steps have ended.
package keptscope

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

var (
	global step.Scope
	all    []step.Scope
	scopes = make(chan step.Scope, 1)
	key    = step.NewVar[int]("key")
)

type server struct{ last step.Scope }

var _ = step.Func(func(as step.Scope, in int) (int, error) {
	global = as           // want `the step.Scope as is stored beyond its step`
	all = append(all, as) // want `is stored beyond its step`
	scopes <- as          // want `the step.Scope as is sent to a channel`
	inner := as
	work(inner)
	work(as)
	return in, as.Context().Err()
})

func (s *server) handle(as step.Scope, in int) (int, error) {
	s.last = as // want `is stored beyond its step`
	var copied struct{ as step.Scope }
	copied.as = as
	return in, copied.as.Err()
}

var _ = step.New(func(as step.Scope, in int) step.Next[int] {
	return step.Wait(as, func(done step.Done[int]) {
		as.SetCancel(func() { as.Path() })
		go work(as) // want `is used on another goroutine`
		go wait(as.Context(), done)
		time.AfterFunc(time.Second, func() { as.Path() })     // want `is used on another goroutine`
		as.Loop().Deferred(time.Second, func() { as.Path() }) // want `is used in a callback of the loop, when its step may have ended`
		as.Loop().Deferred(time.Second, func() {
			if as.Valid() {
				as.Path()
			}
		})
		go func() {
			key.Set(as, in) // want `is used on another goroutine`
			done.Succeed(in)
		}()
	})
})

var _ = step.New(func(as step.Scope, in int) step.Next[int] {
	read := step.Await(func(ctx context.Context, in int) (int, error) {
		as.Path() // want `is used on another goroutine`
		return in, ctx.Err()
	})
	return step.Into(as, read, in)
})

var _ = step.New(func(as step.Scope, in int) step.Next[int] {
	write := step.Do(func(ctx context.Context, _ int) error {
		as.Path() // want `is used on another goroutine`
		return ctx.Err()
	})
	return step.Into(as, write, in)
})

var _ = step.New(func(as step.Scope, in int) step.Next[int] {
	rows := stream.Collect(stream.Generate(0, func(ctx context.Context, _ int, _ func(int) bool) error {
		as.Path() // want `is used on another goroutine`
		return ctx.Err()
	}))
	return step.Into(as, flow.Then(rows, step.Map(func(all []int) int { return len(all) })), in)
})

func asked() bool {
	var only, used step.Scope
	_ = step.Func(func(as step.Scope, in int) (int, error) {
		only = as
		used = as // want `is stored beyond its step`
		return in, nil
	})
	return only.Valid() && used.Path() == ""
}

func work(step.Scope) {}

func wait(context.Context, step.Done[int]) {}

type job struct {
	as step.Scope
	n  int
}

var (
	jobs  = make(chan job, 1)
	boxes = make(chan *job, 1)
	lists = make(chan []step.Scope, 1)
	newer job
)

var _ = step.Func(func(as step.Scope, in int) (int, error) {
	jobs <- job{as: as, n: in} // want `the step.Scope as is sent to a channel`
	boxes <- &job{as, in}      // want `is sent to a channel`
	lists <- []step.Scope{as}  // want `is sent to a channel`
	newer = job{as: as}        // want `is stored beyond its step`
	made := job{as: as}
	jobs <- made // want `is sent to a channel`
	alias := as
	scopes <- alias // want `is sent to a channel`
	jobs <- job{n: in}
	local := job{as: as}
	work(local.as)
	return local.n, nil
})

type node struct {
	as   step.Scope
	next *node
}

// A value may contain the variable that holds it.
var _ = step.Func(func(as step.Scope, in int) (int, error) {
	var head, last *node
	for range in {
		head = &node{next: head}
	}
	for range in {
		last = &node{as, last}
	}
	for range in {
		nodes <- head
		nodes <- last // want `the step.Scope as is sent to a channel`
	}
	return in, nil
})

var nodes = make(chan *node, 1)
