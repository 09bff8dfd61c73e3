package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// newPlan is what happens to every request:
//
//	        ┌ price   ┐
//	parse ──┼ stock   ┼── assemble ── encode
//	        └ reviews ┘
//
// It is built once. Each request is a run of it; runs share nothing.
func newPlan(b backends, limit time.Duration) flow.Plan[*http.Request, []byte] {
	parts := flow.Par3(
		ask("price", b.price.get, limit, Price{OnRequest: true}),
		ask("stock", b.stock.get, limit, Stock{Unknown: true}),
		ask("reviews", b.reviews.get, limit, Reviews{Latest: []string{}}),
	)
	page := flow.Then(flow.Then(step.Func(parse), parts), step.Func(assemble))
	return flow.Then(page, step.Func(encode))
}

// ask gets one part of the page: from its backend if that answers within limit,
// otherwise the fallback. A product that doesn't exist has no fallback: that
// error goes on outwards, ends the two other branches and is the answer.
func ask[T any](
	name string, get func(context.Context, Query) (T, error), limit time.Duration, fallback T,
) flow.Plan[Query, part[T]] {
	fresh := flow.Then(step.Await(get), step.Map(func(v T) part[T] { return part[T]{value: v} }))
	limited := flow.Timeout(limit, fresh)
	return flow.Named(name, flow.Catch(limited, func(_ step.Scope, err error) step.Next[part[T]] {
		if errors.Is(err, notFound) {
			return step.Unwind[part[T]]()
		}
		return step.Succeed(part[T]{value: fallback, missed: fault.CodeOf(err)})
	}))
}

// encode is the last stage: what the client is sent.
func encode(_ step.Scope, p Page) ([]byte, error) { return json.Marshal(p) }
