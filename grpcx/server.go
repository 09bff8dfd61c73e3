package grpcx

import (
	"context"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// ServerPolicy says how the interceptors of a [Server] let calls in. The zero ServerPolicy lets all in, and gives their
// errors codes of gRPC. It is a value: [NewServer] keeps a copy.
//
// The functions are called on the goroutines of calls and of their handlers, several at the same time.
type ServerPolicy struct {
	// PerMethod makes guards for each method, "/package.Service/Method". A call is a section of all of them, the first one outermost,
	// until its handler has returned. For one guard around all methods return the same one each time. A nil function is reported
	// by [Server.Err].
	PerMethod []func(method string) syncx.Guard

	// Failure reports whether a code with which a handler returns is a failure of its section, for guards that learn. Nil
	// stands for Unavailable, ResourceExhausted, DeadlineExceeded, Internal, Unknown and DataLoss.
	Failure func(code codes.Code) bool

	// Limit is how long a call may take; the context of its handler ends then, or with the deadline of the client if that
	// is earlier. 0 is no limit.
	Limit time.Duration

	// Priority returns the priority of a call, by which guards with ByPriority let it in, for example from metadata. With nil it
	// is the one that the context of the call has by syncx.WithPriority, 0 if it has none.
	Priority func(ctx context.Context, method string) int
}

// Server lets calls in by a plan, as a [ServerPolicy] says. Make one with [NewServer]. It is safe for concurrent use.
type Server struct {
	policy ServerPolicy
	plan   flow.Plan[*served, struct{}]
}

// NewServer returns a Server. A policy that isn't well formed is reported by [Server.Err], and each call is answered with
// codes.Internal then.
func NewServer(p ServerPolicy) *Server {
	s := &Server{policy: p}
	if s.policy.Failure == nil {
		s.policy.Failure = failed
	}
	s.plan = flow.Named("grpc", step.AwaitGrace(-1, s.handle))
	for _, guard := range slices.Backward(p.PerMethod) {
		s.plan = syncx.SyncKeyed(syncx.PerKey((*served).called, guard), s.plan)
	}
	if p.Priority != nil {
		s.plan = syncx.Priority(func(c *served) int { return p.Priority(c.ctx, c.method) }, s.plan)
	}
	return s
}

// Err returns why the policy can't be used, or nil.
func (s *Server) Err() error {
	if s.policy.Limit < 0 {
		return fault.New(fault.InvalidRequest, "grpcx: Limit is below zero: "+s.policy.Limit.String())
	}
	return s.plan.Err()
}

// Options returns both interceptors, for grpc.NewServer. They wrap the interceptors that later options chain.
func (s *Server) Options() []grpc.ServerOption {
	return []grpc.ServerOption{grpc.ChainUnaryInterceptor(s.Unary()), grpc.ChainStreamInterceptor(s.Stream())}
}

type served struct {
	ctx    context.Context // the context of the call
	method string
	handle func(ctx context.Context) error
	err    error // the error that handle has returned
}

func (c *served) called() string { return c.method }

// handle calls the handler inside of the guards, as the body of a step.Await.
func (s *Server) handle(ctx context.Context, c *served) (struct{}, error) {
	c.err = c.handle(ctx)
	if c.err != nil && s.policy.Failure(Code(c.err)) {
		return struct{}{}, c.err
	}
	return struct{}{}, nil
}

func (s *Server) serve(ctx context.Context, method string, handle func(ctx context.Context) error) error {
	if err := s.Err(); err != nil { // not the client's mistake
		return answered(fault.New(fault.InternalError, err.Error()))
	}
	if s.policy.Limit != 0 {
		limited, cancel := context.WithTimeoutCause(ctx, s.policy.Limit, fault.Timeout)
		defer cancel()
		ctx = limited
	}
	c := &served{ctx: ctx, method: method, handle: handle}
	_, err := flow.Run(ctx, s.plan, c)
	if err == nil {
		err = c.err
	} else if c.err == nil {
		if md := pushback(err); md != nil {
			_ = grpc.SetTrailer(ctx, md) // fails if there is no server, in a test
		}
	}
	return answered(err)
}

// Unary returns the interceptor for unary calls.
//
// A call that a guard refuses is answered with ResourceExhausted if its queue is full, and with Unavailable if a breaker is open.
// In both cases the trailer grpc-retry-pushback-ms is set: to the time after which the breaker lets calls probe, or to a second if
// that is longer or there is no breaker. A call whose client goes away while it waits leaves the queue.
//
// An error of the handler is answered with its [Code]. If the error has no status, [FromStatus] at the client finds its code of
// package fault, unless that is InternalError. The text of the error, by fault.InfoOf, is sent only if the mistake is the
// client's, as with InvalidArgument or NotFound, or if the handler has made the status. A panic in the handler is answered with
// Internal; interceptors around this one find a *fault.Panic in the error.
//
// Cancellation: the context of the handler ends with the call, at its deadline or the policy's Limit, and when a guard
// evicts it.
//
// Concurrency: the handler has a goroutine of its own. The goroutine of the call waits for it, without a limit.
func (s *Server) Unary() grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (reply any, err error) {
		err = s.serve(ctx, info.FullMethod, func(ctx context.Context) (err error) {
			reply, err = handler(ctx, req)
			return err
		})
		return reply, err
	}
}

// Stream returns the interceptor for streams. Everything else is as for [Server.Unary].
func (s *Server) Stream() grpc.StreamServerInterceptor {
	return func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		return s.serve(stream.Context(), info.FullMethod, func(ctx context.Context) error {
			return handler(srv, &serverStream{stream, ctx})
		})
	}
}

type serverStream struct {
	grpc.ServerStream

	ctx context.Context
}

func (s *serverStream) Context() context.Context { return s.ctx }
