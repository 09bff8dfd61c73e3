package httpx

import (
	"net/http"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/internal/remote"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Policy tells a [Transport] how to send requests. The zero Policy makes up to three attempts of a request that may be
// repeated, and pauses between them only if the answer asks for it. Any other request is sent once, and tried again only if
// no connection could be made. A Policy is a value: [NewTransport] keeps a copy.
//
// The functions are called on the goroutines of requests and of their attempts, several at the same time, also for one request
// that is hedged.
type Policy struct {
	// Retry says how often a request is tried, and the pauses between attempts. Its If and Codes choose among the failures that
	// Failure and Repeatable allow to be tried again; with neither, all of them are tried again. Its MaxRetryAfter bounds what the
	// header Retry-After of an answer may ask for.
	Retry retry.Policy

	// Repeatable reports whether the request may be sent more than once. Nil stands for [Idempotent]. A request with a
	// body that can't be read again, because its GetBody is nil, isn't sent twice. A request that isn't repeatable is tried
	// again only if no connection could be made, so that nothing of it was sent.
	Repeatable func(r *http.Request) bool

	// Failure reports whether an answer makes its attempt fail. After a failure a repeatable request is tried again, and the guards
	// of PerHost count the failure. Failure must not read the body. Nil stands for the statuses 408, 425, 429 and 500 to 599 except
	// 501. An attempt without an answer is a failure, too; the request isn't tried again if the same error would come again, as for
	// a certificate that isn't trusted.
	Failure func(r *http.Response) bool

	// Limit is how long one attempt may take until the header of its answer is there, and, if the answer is a failure, the first 64
	// KiB of its body. 0 is no limit. To limit all attempts together, and the reading of the body, give the request's context a
	// deadline.
	Limit time.Duration

	// Hedge, if above 0, sends a repeatable request once more whenever that time has passed without an answer, up to Hedges times;
	// the first answer that is no failure counts, and the other attempts are cancelled. Hedges are for slow answers only: after an
	// attempt has failed no other begins, and when all that have begun have failed, Retry pauses. Together these attempts are one
	// attempt of Retry.
	Hedge time.Duration
	// Hedges is how many further attempts Hedge makes at most. 0 stands for 1; more than 100 are refused.
	Hedges int

	// PerHost makes guards, such as a breaker or a limiter, for each Host of a request's URL. Each attempt is a section of all of
	// them, the first one outermost, and ends as described at Limit. If a guard has refused the last attempt, Retry makes no other.
	// The guards are kept as in a [syncx.Keyed]: 1000 that are unused, and open breakers. A nil function is reported by
	// [Transport.Err].
	PerHost []func(host string) syncx.Guard

	// DeadlineHeader, if not empty, is a header that tells the server how many milliseconds are left until the deadline of the
	// attempt. An attempt without a deadline sends no such header. [Deadline] reads the header.
	DeadlineHeader string
}

// idempotent lists the methods of RFC 9110, section 9.2.2; "" stands for GET.
var idempotent = []string{
	"", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete,
}

// Idempotent reports whether r has the same effect if it is sent several times: by its method, or because it has a key by which the
// server recognizes repetitions, in the header Idempotency-Key or X-Idempotency-Key. Any goroutine may call it.
func Idempotent(r *http.Request) bool {
	return slices.Contains(idempotent, r.Method) ||
		r.Header.Get("Idempotency-Key") != "" || r.Header.Get("X-Idempotency-Key") != ""
}

// failed is the Failure of the zero Policy.
func failed(r *http.Response) bool { return passing(r.StatusCode) }

// passing reports whether the same request may have another status next time.
func passing(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented:
		return false
	default:
		return status >= 500 && status <= 599
	}
}

func (p *Policy) bad() string { return remote.Wrong(p.Limit, p.Hedge, p.Hedges) }

func (p *Policy) completed() Policy {
	c := *p
	if c.Repeatable == nil {
		c.Repeatable = Idempotent
	}
	if c.Failure == nil {
		c.Failure = failed
	}
	if c.Hedges == 0 {
		c.Hedges = 1
	}
	c.Retry = remote.Retry[*failure](c.Retry)
	return c
}
