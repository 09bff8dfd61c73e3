package httpx

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// exchange is one RoundTrip: the request, and the answers that its attempts have got.
type exchange struct {
	transport  *Transport
	req        *http.Request
	repeatable bool // may be sent more than once, even if the server has got it

	mu     sync.Mutex
	begun  bool             // the body of req was given to an attempt
	ended  bool             // RoundTrip is returning; an attempt that gets an answer later closes its body
	failed []*http.Response // answers that were failures, and are not closed
	good   []*http.Response // answers that weren't failures; several if hedges answer at the same moment
}

func (x *exchange) host() string { return x.req.URL.Host }

// attempt is the context of an attempt. It has the values of the step's context, but ends with the context of the call, because the
// body of the answer may be read after the step has ended.
type attempt struct {
	context.Context // the context of the call

	values context.Context
	until  time.Time // the deadline of the step, if the server is to be told; otherwise zero
}

func (t *Transport) inAttempt(step, call context.Context) context.Context {
	a := &attempt{Context: call, values: context.WithoutCancel(step)}
	if t.policy.DeadlineHeader != "" {
		a.until, _ = step.Deadline()
	}
	return a
}

// Deadline implements context.Context.
func (*attempt) Deadline() (until time.Time, ok bool) { return time.Time{}, false }

// Value implements context.Context. The key by which package context finds the parent that cancels a context is found in the call's
// context, because values doesn't have it.
func (a *attempt) Value(key any) any {
	if key == (attemptKey{}) {
		return a
	}
	if v := a.values.Value(key); v != nil {
		return v
	}
	return a.Context.Value(key)
}

// attemptKey is the key for which attempt.Value returns the attempt.
type attemptKey struct{}

// send makes one attempt, as the body of an op.AwaitLasting. ctx is cancelled when the attempt is to be left, and when the
// body of the answer has been read or closed.
func (t *Transport) send(ctx context.Context, cancel context.CancelCauseFunc, x *exchange) (*http.Response, error) {
	r, err := x.request(ctx)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	t.tellDeadline(r)
	answer, err := t.base.RoundTrip(r)
	if err != nil {
		if ctx.Err() != nil {
			err = errors.Join(context.Cause(ctx), err)
		}
		cancel(nil)
		return nil, err
	}
	if answer.Body == nil { // http.Client allows it
		answer.Body = http.NoBody
	}
	kept := false
	defer func() {
		if !kept { // also if Failure panics
			_ = answer.Body.Close()
			cancel(nil)
		}
	}()
	if answer.Request == r || answer.Request == nil {
		answer.Request = x.req
	}
	bad := t.policy.Failure(answer)
	if bad {
		drain(answer) // within the attempt, so that a limit or a cancel ends it
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	answer.Body = tie(answer.Body, cancel)
	if kept = x.keep(answer, bad); !kept {
		return nil, errEnded
	}
	if bad {
		return nil, newStatusError(x.req, answer)
	}
	return answer, nil
}

// tellDeadline sets the header for the deadline of the attempt, if there is one.
func (t *Transport) tellDeadline(r *http.Request) {
	if until := r.Context().Value(attemptKey{}).(*attempt).until; !until.IsZero() {
		r.Header = r.Header.Clone()
		if r.Header == nil {
			r.Header = http.Header{}
		}
		r.Header.Set(t.policy.DeadlineHeader, strconv.FormatInt(left(until), 10))
	}
}

var errEnded = fault.New(fault.Cancelled, "the answer came after the end of the call")

func (x *exchange) request(ctx context.Context) (*http.Request, error) {
	x.mu.Lock()
	first := !x.begun
	x.begun = true
	failed := x.failed
	x.failed = nil
	x.mu.Unlock()
	// Failed answers that aren't closed may hold connections for which this attempt would wait.
	for _, answer := range failed {
		_ = answer.Body.Close()
	}
	r := x.req.WithContext(ctx)
	if first || r.GetBody == nil {
		return r, nil
	}
	body, err := r.GetBody()
	if err != nil {
		return nil, &failure{cause: fault.Wrap(fault.InvokerError, "the body of the request can't be read again", err)}
	}
	r.Body = body
	return r, nil
}

// keep records an answer, so that the next attempt or end closes it. It reports false if the call has ended already.
func (x *exchange) keep(answer *http.Response, bad bool) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.ended:
		return false
	case bad:
		x.failed = append(x.failed, answer)
	default:
		x.good = append(x.good, answer)
	}
	return true
}

// end closes all answers but the one that RoundTrip returns, and returns the results of RoundTrip.
func (x *exchange) end(answer *http.Response, err error) (*http.Response, error) {
	x.mu.Lock()
	x.ended = true
	begun := x.begun
	all := slices.Concat(x.failed, x.good)
	if err != nil && answer != nil && !slices.Contains(all, answer) { // a later attempt has closed it
		answer = nil
		if len(x.failed) > 0 {
			answer = x.failed[len(x.failed)-1]
		}
	}
	x.failed, x.good = nil, nil
	x.mu.Unlock()
	for _, other := range all {
		if other != answer {
			_ = other.Body.Close()
		}
	}
	if !begun {
		closeBody(x.req)
	}
	if answer != nil {
		return answer, nil
	}
	return nil, &roundTripError{err}
}

// drained is how many bytes of the body of a failed answer are read ahead at most, so that the connection is free for the next
// attempt. ReadStatus reads at most as many.
const drained = 64 << 10

func drain(answer *http.Response) {
	head, err := io.ReadAll(io.LimitReader(answer.Body, drained))
	rest := io.Reader(answer.Body)
	switch {
	case err != nil:
		rest = broken{err}
	case len(head) < drained:
		_ = answer.Body.Close()
		rest = http.NoBody
	}
	answer.Body = &ahead{io.MultiReader(bytes.NewReader(head), rest), answer.Body}
}

type ahead struct {
	io.Reader
	io.Closer
}

// broken is the rest of a body whose reading has failed with err.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
