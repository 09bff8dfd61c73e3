package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Order is the order of a client. The mail about an order has its price too.
type Order struct {
	Item  string `json:"item"`
	Mail  string `json:"mail"`
	Price int    `json:"price"`
}

// backend asks a server for the price of an item. It blocks, and returns when ctx ends.
type backend func(ctx context.Context, item string) (price int, err error)

// notFound is the code for an item that a backend doesn't have, which isn't a failure of the backend.
const notFound fault.Code = "NotFound"

// temporary reports whether another attempt, or another backend, may do better.
func temporary(err error) bool { return !errors.Is(err, notFound) }

// newQuote makes the plan of requests:
//
//	door ── limit ── retry ── hedge ┬ breaker ── limit ── backend 0
//	                                └ breaker ── limit ── backend 1
//
// Runs share the door and the breakers.
func newQuote(door *syncx.Mutex, backends ...backend) flow.Plan[string, int] {
	replicas := make([]step.Step[string, int], len(backends))
	for i, ask := range backends {
		name := fmt.Sprintf("backend %d", i)
		breaker := syncx.NewBreaker(syncx.BreakerPolicy{Name: name, Failure: temporary})
		call := flow.Timeout(200*time.Millisecond, step.Await(ask))
		replicas[i] = flow.Named(name, syncx.Sync(breaker, call))
	}
	policy := retry.Policy{Tries: 3, Pause: 100 * time.Millisecond, Factor: 2, If: temporary}
	price := retry.Of(policy, flow.Hedge(50*time.Millisecond, replicas...))
	return flow.Named("quote", syncx.Sync(door, flow.Timeout(time.Second, price)))
}

// newWorker makes the plan of the background worker: it sends a mail for each order of a channel, four at a time, until the
// channel is closed. dead gets the orders whose mail can't be sent.
func newWorker(send func(context.Context, Order) error, dead func(Order, error)) flow.Plan[<-chan Order, int] {
	policy := retry.Policy{Tries: 5, Pause: time.Second, Factor: 2}
	mail := retry.Of(policy, flow.Timeout(10*time.Second, step.Do(send)))
	sent := stream.Through(stream.Chan[Order](16), stream.Bound{Limit: 4}, mail)
	return flow.Named("mail", stream.Count(stream.Catch(sent, func(letter *stream.Letter[Order]) error {
		dead(letter.Element, letter)
		return nil // the stream continues
	})))
}
