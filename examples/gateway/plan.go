package main

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// newPlan makes the plan of a request:
//
//	                ┌ price   ┐
//	door ── parse ──┼ stock   ┼── assemble ── encode
//	                └ reviews ┘
//
// It is built once, and each request is a run of it. Runs share the guards: at the door, which turns away requests that it can neither
// let in nor queue, and at each backend.
func newPlan(b backends, g guards) flow.Plan[*http.Request, []byte] {
	parts := flow.Par3(
		ask(b.price, g, Price{OnRequest: true}),
		ask(b.stock, g, Stock{Unknown: true}),
		ask(b.reviews, g, Reviews{Latest: []string{}}),
	)
	page := flow.Then(flow.Then(step.Func(parse), parts), step.Func(assemble))
	answer := flow.Then(page, step.Func(encode))
	return flow.Named("door", syncx.Sync(g.door, answer))
}

// ask gets one part of the page: from its backend, or the fallback if that fails, has no room for the call or doesn't answer in
// time. A product that doesn't exist has no fallback: that error ends the two other branches and is the answer.
func ask[T any](b backend[T], g guards, fallback T) flow.Plan[Query, part[T]] {
	call := syncx.Sync(g.calls[b.name], step.Await(b.get))
	fresh := flow.Then(call, step.Map(func(v T) part[T] { return part[T]{value: v} }))
	inTime := flow.Timeout(g.wait, fresh)
	return flow.Named(b.name, flow.Catch(inTime, func(_ step.Scope, err error) step.Next[part[T]] {
		if errors.Is(err, notFound) {
			return step.Unwind[part[T]]()
		}
		return step.Succeed(part[T]{value: fallback, missed: fault.CodeOf(err)})
	}))
}

// encode is the last stage: the client gets its result.
func encode(_ step.Scope, p Page) ([]byte, error) { return json.Marshal(p) }
