package grpcx

import (
	"context"
	"errors"
	"slices"
	"time"

	"google.golang.org/grpc"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/remote"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Client makes calls by a plan, as a [ClientPolicy] says. Make one with [NewClient], give its interceptors to any number
// of connections, and keep it: its guards count the calls of all of them. It is safe for concurrent use.
type Client struct {
	policy ClientPolicy
	once   flow.Plan[*call, *answer] // the plan of a unary call without hedges
	hedged flow.Plan[*call, *answer] // the plan of a unary call with hedges; once if the policy has none
	unary  flow.Plan[*call, *answer] // the plan of a unary call, which enters once or hedged
	stream flow.Plan[*call, *answer]
}

// NewClient returns a Client. A policy that isn't well formed is reported by [Client.Err], and by each call.
func NewClient(p ClientPolicy) *Client {
	c := &Client{policy: p.completed()}
	attempt := guarded(c, flow.CatchInput(limited(c, step.AwaitGrace(-1, c.invoke)), judged[*answer]))
	c.once = retry.Of(c.policy.Retry, attempt)
	c.hedged = c.once
	if p.Hedge != 0 {
		c.hedged = retry.Of(c.policy.Retry, remote.Hedge(p.Hedge, c.policy.Hedges, attempt))
	}
	c.unary = flow.Named("grpc", step.New(func(as step.Scope, x *call) step.Next[*answer] {
		x.repeatable = c.policy.Repeatable(x.method)
		if x.hedged = x.repeatable && c.policy.Hedge != 0; x.hedged {
			return step.Into(as, c.hedged, x)
		}
		return step.Into(as, c.once, x)
	}))
	open := flow.CatchInput(limited(c, step.AwaitGrace(-1, c.open)), unopened)
	c.stream = flow.Named("grpc", flow.Then(
		step.Map(func(x *call) *call {
			x.repeatable = !x.stream.desc.ClientStreams && c.policy.Repeatable(x.method)
			return x
		}),
		retry.Of(c.policy.Retry, guarded(c, flow.Then(open, flow.Then(step.New(live), step.Func(outcome)))))))
	return c
}

func limited[Out any](c *Client, s step.Step[*call, Out]) flow.Plan[*call, Out] {
	if c.policy.Limit == 0 {
		return flow.Of(s)
	}
	return flow.Timeout(c.policy.Limit, s)
}

func guarded(c *Client, s flow.Plan[*call, *answer]) flow.Plan[*call, *answer] {
	for _, guard := range slices.Backward(c.policy.PerTarget) {
		s = syncx.SyncKeyed(syncx.PerKey((*call).to, guard), s)
	}
	return s
}

// judged turns the error of an attempt into a failure if the limit of the attempt has passed.
func judged[Out any](_ step.Scope, c *call, err error) step.Next[Out] {
	if f := c.late(err); f != nil {
		return step.Fail[Out](f)
	}
	return step.Unwind[Out]()
}

// Err returns why the policy can't be used, or nil.
func (c *Client) Err() error {
	if bad := c.policy.bad(); bad != "" {
		return fault.New(fault.InvalidRequest, "grpcx: "+bad)
	}
	return errors.Join(c.once.Err(), c.hedged.Err(), c.stream.Err())
}

// Tree returns the plan by which a unary call that may be repeated is made, for pictures: see flow.Describe.
func (c *Client) Tree() *flow.Tree { return flow.Describe(c.hedged) }

// DialOptions returns both interceptors, for grpc.NewClient. They wrap the interceptors that later options chain.
func (c *Client) DialOptions() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(c.Unary()), grpc.WithChainStreamInterceptor(c.Stream())}
}

type call struct {
	client     *Client
	ctx        context.Context
	target     string
	method     string
	opts       []grpc.CallOption
	repeatable bool // set when the run begins

	// Set for a unary call:
	reply  any // the message of the caller
	hedged bool
	send   func(ctx context.Context, reply any, opts ...grpc.CallOption) error

	stream *clientStream // nil for a unary call
}

func (c *call) to() string { return c.target }

// answer is the result of an attempt that isn't a failure.
type answer struct {
	said  *said
	reply any
	err   error // a status that is an answer, such as NotFound
}

// Unary returns the interceptor for unary calls.
//
// Errors: an answer that is an error, the error of the last attempt, the refusal of a guard, or the end of the context. Each has a
// code of package fault, and a status that package status reads. If the last attempt has failed, errors of earlier ones are
// secondary to its error. The variables of the options grpc.Header, Trailer and Peer are set to those of the answer that counts;
// the function of an option grpc.OnFinish is called for each attempt.
//
// Cancellation: the end of the context ends the attempts and their pauses. When the call returns, the attempts that
// lost have ended.
//
// Concurrency: any goroutine may call it. It blocks, and each attempt has a goroutine. Hedged attempts read the request at the
// same time.
func (c *Client) Unary() grpc.UnaryClientInterceptor {
	return func(
		ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoker grpc.UnaryInvoker, opts ...grpc.CallOption,
	) error {
		if err := c.Err(); err != nil {
			return answered(err)
		}
		x := &call{
			client: c, ctx: ctx, target: conn.Target(), method: method, opts: opts, reply: reply,
			send: func(ctx context.Context, reply any, opts ...grpc.CallOption) error {
				return invoker(ctx, method, req, reply, conn, opts...)
			},
		}
		a, err := flow.Run(ctx, c.unary, x)
		if err != nil {
			if f := failureOf(err); f != nil {
				f.said.deliver(opts)
			}
			return answered(err)
		}
		a.said.deliver(opts)
		if a.err == nil && x.hedged {
			assign(reply, a.reply)
		}
		return answered(a.err)
	}
}

// invoke makes one attempt of a unary call, as the body of a step.Await.
func (c *Client) invoke(ctx context.Context, x *call) (*answer, error) {
	a := &answer{said: &said{}, reply: x.reply}
	if x.hedged {
		a.reply = another(x.reply)
	}
	err := x.send(ctx, a.reply, a.said.options(x.opts)...)
	if err == nil {
		return a, nil
	}
	return a.ended(ctx, x, err)
}

// ended returns a with err as the answer, or an error if the attempt has failed or ctx has ended.
func (a *answer) ended(ctx context.Context, x *call, err error) (*answer, error) {
	if over(ctx) {
		return nil, errors.Join(context.Cause(ctx), err)
	}
	if f := x.judge(err, a.said); f != nil {
		return nil, f
	}
	a.err = FromStatus(err)
	return a, nil
}

// over reports whether ctx has ended. If its deadline has passed, over waits for the end: the server has the same
// deadline, and its answer may be here before the timer of ctx has fired.
func over(ctx context.Context) bool {
	if until, ok := ctx.Deadline(); ok && time.Until(until) <= 0 {
		<-ctx.Done()
	}
	return ctx.Err() != nil
}

// Call makes a step of a method of a generated client, with options for each call:
//
//	check := grpcx.Call(healthpb.NewHealthClient(conn).Check)
//
// The step fails with the error of the call. [FromStatus] gives the error a code of package fault, even if the connection has no
// interceptors. A nil method is reported by flow.Plan.Err.
//
// Concurrency: the method is called on a goroutine of its own, as the body of a step.Await.
func Call[In, Out any](
	method func(ctx context.Context, in In, opts ...grpc.CallOption) (Out, error), opts ...grpc.CallOption,
) flow.Plan[In, Out] {
	if method == nil {
		return flow.Of[In, Out](nil)
	}
	return flow.Of(step.Await(func(ctx context.Context, in In) (Out, error) {
		out, err := method(ctx, in, opts...)
		return out, FromStatus(err)
	}))
}
