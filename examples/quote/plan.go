package main

import (
	"errors"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// times are how long the service waits.
type times struct {
	hedge time.Duration // wait for one source before the next is asked too
	limit time.Duration // limit of one source
	pause time.Duration // wait before a source that kept failing is tried again
}

// unknown is the code for an item that a source doesn't have, which isn't a failure of the source.
const unknown fault.Code = "Unknown"

// newPlan makes the plan that gives the price of an item, its input:
//
//	hedge ┬ breaker ── limit ── ask source 0     on error: the last price that was given
//	      └ breaker ── limit ── ask source 1
//
// The next source is asked when the one before takes too long or fails. A source that has failed three times in a row
// isn't asked for a while, so requests don't wait for it in vain. All runs share the breakers and prices.
func newPlan(t times, prices *prices, sources ...source) flow.Plan[string, Quote] {
	asks := make([]step.Step[string, Quote], len(sources))
	for i, s := range sources {
		breaker := syncx.NewBreaker(syncx.BreakerPolicy{
			Name: s.name, Failures: 3, Pause: t.pause,
			Failure: func(err error) bool { return !errors.Is(err, unknown) },
		})
		ask := flow.Timeout(t.limit, step.Await(s.ask))
		asks[i] = flow.Named(s.name, syncx.Sync(breaker, ask))
	}
	kept := flow.Then(flow.Hedge(t.hedge, asks...), step.Map(prices.keep))
	return flow.CatchInput(kept, prices.fallback)
}
