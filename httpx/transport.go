package httpx

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/remote"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Transport is an http.RoundTripper that sends each request by a plan, as a [Policy] says. Make
// one with [NewTransport], for the Transport of an http.Client, and keep it: its guards count
// the requests of all clients that share it. It is safe for concurrent use.
type Transport struct {
	base    http.RoundTripper
	policy  Policy
	once    flow.Plan[*exchange, *http.Response] // without hedges
	repeats flow.Plan[*exchange, *http.Response] // for requests that may be repeated
	plan    flow.Plan[*exchange, *http.Response] // chooses once or repeats
}

var _ http.RoundTripper = (*Transport)(nil)

// NewTransport returns a Transport that makes its attempts through base; nil stands for
// http.DefaultTransport. A policy that isn't well formed is reported by [Transport.Err], and by
// each request.
func NewTransport(base http.RoundTripper, p Policy) *Transport {
	if base == nil {
		base = http.DefaultTransport
	}
	t := &Transport{base: base, policy: p.completed()}
	attempt := t.attempt()
	t.once = retry.Of(t.policy.Retry, attempt)
	t.repeats = t.once
	if p.Hedge != 0 {
		t.repeats = retry.Of(t.policy.Retry, remote.Hedge(p.Hedge, t.policy.Hedges, attempt))
	}
	t.plan = flow.Named("http", step.New(func(as step.Scope, x *exchange) step.Next[*http.Response] {
		x.repeatable = rewinds(x.req) && t.policy.Repeatable(x.req)
		if x.repeatable {
			return step.Into(as, t.repeats, x)
		}
		return step.Into(as, t.once, x)
	}))
	return t
}

// attempt returns the plan of one attempt. It fails with a *failure, unless a guard has refused or evicted the attempt, the
// call was cancelled, or code of this program has panicked.
func (t *Transport) attempt() flow.Plan[*exchange, *http.Response] {
	send := flow.Of[*exchange, *http.Response](op.AwaitLasting(t.inAttempt, t.send))
	if t.policy.Limit != 0 {
		send = flow.Timeout(t.policy.Limit, send)
	}
	send = flow.CatchInput(send, func(_ step.Scope, x *exchange, err error) step.Next[*http.Response] {
		if f := x.judge(err); f != nil {
			return step.Fail[*http.Response](f)
		}
		return step.Unwind[*http.Response]()
	})
	for _, guard := range slices.Backward(t.policy.PerHost) {
		send = syncx.SyncKeyed(syncx.PerKey((*exchange).host, guard), send)
	}
	return send
}

// Err returns why the policy can't be used, or nil.
func (t *Transport) Err() error {
	if bad := t.policy.bad(); bad != "" {
		return fault.New(fault.InvalidRequest, "httpx: "+bad)
	}
	return errors.Join(t.once.Err(), t.repeats.Err())
}

// Tree returns the plan by which a repeatable request is sent, for pictures: see flow.Describe.
func (t *Transport) Tree() *flow.Tree { return flow.Describe(t.repeats) }

// RoundTrip sends r and returns the answer: the first one that is no failure, or that of the last
// attempt. As for any http.RoundTripper an answer with a status such as 503 is no error, and the
// caller closes its body; r must not be changed before that.
//
// Errors: what the last attempt failed with, or the refusal of a guard, as a *fault.Error whose Secondary has the errors of the
// earlier attempts. Its code is fault.ConnectError if no connection was made, fault.Timeout if the attempt took longer than
// [Policy.Limit] or the deadline of r's context has passed, fault.Cancelled if r's context was cancelled, and otherwise mostly
// fault.CommError. The method Timeout of the *url.Error that http.Client returns reports true for fault.Timeout.
//
// Cancellation: the end of r's context ends the attempts and their pauses, and, after RoundTrip has returned, the reading of the
// body. When RoundTrip returns, the attempts that lost have ended, and the bodies of their answers are closed. The exception is an
// attempt whose base goes on after the grace: the body of its answer is closed when the answer comes.
//
// Concurrency: blocks; each attempt has a goroutine.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.Err(); err != nil {
		closeBody(r)
		return nil, err
	}
	x := &exchange{transport: t, req: r}
	answer, err := flow.Run(r.Context(), t.plan, x)
	if err != nil {
		answer = failureAnswer(err)
	}
	return x.end(answer, err)
}

// CloseIdleConnections closes the idle connections of the base. http.Client.CloseIdleConnections calls it.
func (t *Transport) CloseIdleConnections() {
	if base, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// rewinds reports whether the body of r can be sent again.
func rewinds(r *http.Request) bool {
	return r.Body == nil || r.Body == http.NoBody || r.GetBody != nil
}

func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
}

func left(until time.Time) int64 { return max(0, time.Until(until).Milliseconds()) }
