package cluster

import (
	"container/list"

	"github.com/futoin-go/asyncsteps/syncx"
)

// queue holds the tickets that wait in this process, in the order of arrival.
type queue struct {
	order list.List // of *syncx.Ticket
	where map[*syncx.Ticket]*list.Element
}

func (q *queue) len() int { return q.order.Len() }

func (q *queue) push(t *syncx.Ticket) {
	if q.where == nil {
		q.where = map[*syncx.Ticket]*list.Element{}
	}
	q.where[t] = q.order.PushBack(t)
}

func (q *queue) remove(t *syncx.Ticket) bool {
	e, ok := q.where[t]
	if ok {
		q.order.Remove(e)
		delete(q.where, t)
	}
	return ok
}

func (q *queue) takeFirst() *syncx.Ticket { return q.take(q.order.Front()) }
func (q *queue) takeLast() *syncx.Ticket  { return q.take(q.order.Back()) }

func (q *queue) take(e *list.Element) *syncx.Ticket {
	if e == nil {
		return nil
	}
	t, _ := e.Value.(*syncx.Ticket)
	q.remove(t)
	return t
}
