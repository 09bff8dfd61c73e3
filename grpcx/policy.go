package grpcx

import (
	"time"

	"google.golang.org/grpc/codes"

	"github.com/futoin-go/asyncsteps/internal/remote"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/syncx"
)

// ClientPolicy says how the interceptors of a [Client] make calls. The zero ClientPolicy makes up to three attempts of a call
// that may be repeated and doesn't send a stream, and pauses between them only if the server asks for it. Any other call is
// made once. A ClientPolicy is a value: [NewClient] keeps a copy.
//
// The functions are called on the goroutines of calls and of their attempts, several at the same time, also for one call that is
// hedged.
type ClientPolicy struct {
	// Retry says how often a call is tried, and the pauses between attempts. Its If and Codes choose among the failures
	// of calls that may be repeated; with neither, all are tried again. Its MaxRetryAfter bounds what the trailer
	// grpc-retry-pushback-ms of a failed attempt, or an errdetails.RetryInfo of its status, may ask for. A trailer
	// that is below zero or malformed asks for no further attempt.
	//
	// gRPC repeats calls by itself if its service config has a retryPolicy: use one of the two.
	Retry retry.Policy

	// Repeatable reports whether the method, "/package.Service/Method", may be called more than once. Nil stands for
	// [Idempotent]. Calls that send a stream are never repeated.
	Repeatable func(method string) bool

	// Failure reports whether a code makes its attempt fail. After a failure a call that may be repeated is tried again, and the
	// guards of PerTarget count the failure. Nil stands for Unavailable, ResourceExhausted, DeadlineExceeded, Internal, Unknown and
	// DataLoss. Any other code is the answer to the call.
	Failure func(code codes.Code) bool

	// Limit is how long one attempt may take: a unary call until its answer, a stream of answers until its header is there, which
	// comes with the first message unless the server sends it earlier, and a call that sends a stream until it can send. 0 is no
	// limit. To limit the whole call, give its context a deadline. The server is told that deadline, or for a unary call the
	// earlier of the two.
	Limit time.Duration

	// Hedge, if above 0, begins a further attempt of a unary call that may be repeated, whenever that time has passed without an
	// answer, up to Hedges times. The first answer that isn't a failure counts, and the other attempts are cancelled. Hedges are
	// for slow answers only: after an attempt has failed no other begins, and when all that have begun have failed, Retry
	// pauses. Together these attempts are one attempt of Retry. Streams aren't hedged.
	Hedge time.Duration
	// Hedges is how many further attempts Hedge makes at most. 0 stands for 1; more than 100 are refused.
	Hedges int

	// PerTarget makes guards for each target of a grpc.ClientConn, such as a breaker or a limiter. Each attempt is a section of all
	// of them, the first one outermost, until the attempt is answered, or its stream has ended. If a guard has refused the latest
	// attempt, Retry makes no other. A nil function is reported by [Client.Err].
	PerTarget []func(target string) syncx.Guard
}

// failed is the Failure of the zero policies.
func failed(code codes.Code) bool {
	switch code {
	case codes.Unavailable, codes.ResourceExhausted, codes.DeadlineExceeded, codes.Internal, codes.Unknown, codes.DataLoss:
		return true
	default:
		return false
	}
}

func (p *ClientPolicy) bad() string { return remote.Wrong(p.Limit, p.Hedge, p.Hedges) }

func (p *ClientPolicy) completed() ClientPolicy {
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
