package syncx

import (
	"context"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// WithPriority returns ctx with a priority for the sections of the runs that are started with it. The priority counts for
// guards with ByPriority: of the flows that wait, those of a higher priority are let in first, as far as the patience of
// the guard allows, see [Mutex.ByPriority]. The default is 0, and a priority may be negative.
//
//spec:ftn12 §1.11.3
func WithPriority(ctx context.Context, priority int) context.Context {
	return context.WithValue(ctx, priorityKey{}, priority)
}

// PriorityOf returns the priority that ctx has by [WithPriority] or [Priority]; 0 if it has none.
//
//spec:ftn12 §1.11.3
func PriorityOf(ctx context.Context) int {
	n, _ := ctx.Value(priorityKey{}).(int)
	return n
}

// Priority runs s, and gives the guards inside of s the priority that the function priority returns for the input of s.
// This replaces the priority of the run's context, and that of an outer Priority.
//
// Errors: a nil function or s is reported by flow.Plan.Err. A panic in the function
// fails the step with fault.InternalError. Cancellation and results are those of s.
//
//spec:ftn12 §1.11.3; rule G12
func Priority[In, Out any](priority func(In) int, s step.Step[In, Out]) flow.Plan[In, Out] {
	var value func(In) (key, value any)
	bad := "Priority: the function is nil"
	if priority != nil {
		value = func(in In) (any, any) { return priorityKey{}, priority(in) }
		bad = ""
	}
	return flow.Of(op.Provide("priority", value, bad, op.Given(s, "Priority: the stage is nil")))
}

type priorityKey struct{}

type priorities struct {
	patience int64
	asked    atomic.Int64 // how many entries have got a rank; not counted if patience is 0
}

func byPriority(patience int) *priorities {
	return &priorities{patience: min(max(int64(patience), 0), farthest)}
}

// farthest bounds priorities and patience where they are multiplied.
const farthest = 1 << 30

// rank sets the rank of c, which asks now: the higher, the earlier it is let in. With a patience, one level of priority
// counts as much as having asked patience entries earlier.
func (p *priorities) rank(c *guard.Ticket) {
	n, _ := c.Value(priorityKey{}).(int)
	c.Rank = int64(n)
	if p.patience != 0 {
		c.Rank = min(max(c.Rank, -farthest), farthest)*p.patience - p.asked.Add(1)
	}
}

func rank(by *priorities, c *guard.Ticket) {
	if by != nil {
		by.rank(c)
	}
}

func push(by *priorities, queue *guard.Line, c *guard.Ticket) {
	if by == nil {
		queue.Push(c)
	} else {
		queue.Insert(c)
	}
}

// first reports whether c would be let in before all that wait.
func first(by *priorities, queue *guard.Line, c *guard.Ticket) bool {
	head := queue.Head()
	return head == nil || by != nil && c.Rank > head.Rank
}

// displaces reports whether c would be let in before the last ticket of queue, which is full.
func displaces(by *priorities, queue *guard.Line, c *guard.Ticket) bool {
	last := queue.Tail()
	return by != nil && last != nil && c.Rank > last.Rank
}

// displace takes the last ticket out of queue, which is full, and refuses it with err, if c would be let in first. It reports
// whether it has done so.
func displace(by *priorities, queue *guard.Line, c *guard.Ticket, err error) bool {
	if !displaces(by, queue, c) {
		return false
	}
	last := queue.Tail()
	queue.Remove(last)
	last.Refuse(err)
	return true
}

// ByPriority makes m let in those that wait by their priority, highest first, and equal ones in the order of their arrival;
// see [WithPriority] and [Priority]. If the queue is full, and the flow that asks would be let in before the last flow in the
// queue, the last one is rejected, and the flow that asks is queued. A flow that fails with [Deadlock] displaces nobody.
//
// A patience of 0 or less lets flows of a low priority wait for as long as others of a higher one arrive. With a positive
// patience the priority counts for less the longer a flow waits: another flow whose priority is k levels higher is let in
// first only if it has asked fewer than k times patience entries later.
//
// It returns m. Call it before m is used.
func (m *Mutex) ByPriority(patience int) *Mutex {
	m.by = byPriority(patience)
	return m
}

// ByPriority is [Mutex.ByPriority] for the flows that wait for the throttle.
func (throttle *Throttle) ByPriority(patience int) *Throttle {
	throttle.by = byPriority(patience)
	return throttle
}

// ByPriority is [Mutex.ByPriority] for both queues of l.
func (l *Limiter) ByPriority(patience int) *Limiter {
	l.mutex.by = byPriority(patience)
	l.throttle.by = l.mutex.by
	return l
}

// ByPriority is [Mutex.ByPriority] for the entries of b that wait.
func (b *TokenBucket) ByPriority(patience int) *TokenBucket {
	b.by = byPriority(patience)
	return b
}

// ByPriority is [Mutex.ByPriority] for the flows that wait for a.
func (a *Adaptive) ByPriority(patience int) *Adaptive {
	a.mutex.by = byPriority(patience)
	return a
}
