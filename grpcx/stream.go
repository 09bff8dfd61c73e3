package grpcx

import (
	"context"
	"errors"
	"io"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Stream returns the interceptor for calls with streams. A call that sends one request, and may be repeated, is tried
// again until the header of an answer is there; a call that sends a stream has one attempt. The sections of guards last
// until the stream has ended: until RecvMsg returns an error, io.EOF included, or the only answer, until SendMsg
// returns an error other than io.EOF, or until the context of the call ends. As for any grpc.ClientStream, the caller
// must bring one of these about.
//
// A call that sends one request begins with the first CloseSend, RecvMsg or Header. So if its last attempt fails, or a guard
// refuses it, RecvMsg returns the error. For a call that sends a stream, the call itself returns such an error.
//
// Errors are as for [Client.Unary], and so are grpc.Header, Trailer and Peer, which are set when the end of the stream is
// reported.
//
// Concurrency: each stream has a goroutine until it has ended.
func (c *Client) Stream() grpc.StreamClientInterceptor {
	return func(
		ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption,
	) (grpc.ClientStream, error) {
		if err := c.Err(); err != nil {
			return nil, answered(err)
		}
		s := &clientStream{desc: desc, ready: make(chan struct{}), ended: make(chan struct{})}
		s.call = &call{client: c, ctx: ctx, target: conn.Target(), method: method, opts: opts, stream: s}
		s.create = func(ctx context.Context, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			return streamer(ctx, desc, conn, method, opts...)
		}
		if !desc.ClientStreams {
			return s, nil
		}
		o, err := s.behind()
		if err == nil && o.over != nil { // there is no stream to the server
			err = o.end(o.over)
		}
		if err != nil {
			return nil, err
		}
		return s, nil
	}
}

// clientStream is the stream that the caller has. A run, on a goroutine of its own, opens the stream to the server and stays
// inside the guards until that stream has ended.
type clientStream struct {
	call   *call
	desc   *grpc.StreamDesc
	create func(ctx context.Context, opts ...grpc.CallOption) (grpc.ClientStream, error)
	req    any // the request of a call that sends one

	begin sync.Once
	first sync.Once     // closes ready
	ready chan struct{} // closed when opened is set, or the run has ended without a stream
	ended chan struct{} // closed when the run has ended

	made   *opened   // the stream of the latest attempt; set by the attempt, and read after the attempt or the run has ended
	opened *opened   // the stream that the caller uses; set before ready is closed, nil if there is none
	err    error     // the error of the run; set before ended is closed
	told   sync.Once // sets the variables of the caller's options
}

// opened is the stream to the server, of one attempt.
type opened struct {
	grpc.ClientStream

	call   *call
	said   *said
	cancel context.CancelCauseFunc // ends the context of the stream
	over   error                   // if not nil, the stream has ended already, with io.EOF or an error that isn't a failure
	done   step.Done[ending]       // set before ready is closed
}

// ending is the end of a stream. An err that is nil or io.EOF is a success.
type ending struct {
	of  *opened
	err error
}

// behind starts the run unless it has begun, and waits for the stream to the server. It returns that stream, or the error of the
// run.
func (s *clientStream) behind() (*opened, error) {
	s.begin.Do(func() { go s.run() })
	<-s.ready
	if s.opened != nil {
		return s.opened, nil
	}
	<-s.ended
	if f := failureOf(s.err); f != nil {
		s.told.Do(func() { f.said.deliver(s.call.opts) })
	}
	return nil, answered(s.err)
}

func (s *clientStream) run() {
	_, s.err = flow.Run(s.call.ctx, s.call.client.stream, s.call)
	if s.made != nil {
		s.made.cancel(nil) // a cancelled run leaves the stream open
	}
	close(s.ended)
	s.first.Do(func() { close(s.ready) })
}

// open makes one attempt to open the stream, as the body of a step.Await. ctx ends with the attempt, so the stream has
// a context of its own.
func (c *Client) open(ctx context.Context, x *call) (*opened, error) {
	out, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unlink := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	if until, ok := x.ctx.Deadline(); ok { // the server is told
		limited, stop := context.WithDeadline(out, until)
		context.AfterFunc(out, stop)
		out = limited
	}
	o := &opened{call: x, said: &said{}, cancel: cancel}
	x.stream.made = o
	err := o.start(out, x.stream)
	if err == nil && unlink() {
		return o, nil
	}
	unlink()
	cancel(nil)
	if over(ctx) {
		return nil, errors.Join(context.Cause(ctx), err)
	}
	if f := x.judge(err, o.said); f != nil {
		return nil, f
	}
	o.over = err
	return o, nil
}

// unopened does what judged does, for an attempt to open a stream. It also cancels the stream, which may be open although the
// attempt has failed: the limit may have passed just when the header had come.
func unopened(as step.Scope, x *call, err error) step.Next[*opened] {
	if o := x.stream.made; o != nil {
		o.cancel(nil)
	}
	return judged[*opened](as, x, err)
}

// start makes the stream to the server. If the call sends one request, start sends it and waits for the header of the answer.
func (o *opened) start(ctx context.Context, s *clientStream) (err error) {
	if o.ClientStream, err = s.create(ctx, o.said.options(s.call.opts)...); err != nil || s.desc.ClientStreams {
		return err
	}
	if err = o.SendMsg(s.req); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err = o.CloseSend(); err != nil {
		return err
	}
	header, err := o.Header()
	if header != nil || err != nil {
		return err
	}
	// The stream has ended without a header, so there is no message: RecvMsg returns the status.
	if err = o.RecvMsg(&emptypb.Empty{}); errors.Is(err, io.EOF) {
		o.over, err = io.EOF, nil
	}
	return err
}

// live is the body of a step that gives the stream to the caller and lasts until the stream has ended.
func live(as step.Scope, o *opened) step.Next[ending] {
	return step.Wait(as, func(done step.Done[ending]) {
		o.done = done
		s := o.call.stream
		s.opened = o
		s.first.Do(func() { close(s.ready) })
		if o.over != nil {
			done.Succeed(ending{o, o.over})
		}
	})
}

// outcome fails if the end of the stream was a failure.
func outcome(_ step.Scope, e ending) (*answer, error) {
	if e.err == nil || errors.Is(e.err, io.EOF) {
		return &answer{said: e.of.said}, nil
	}
	if f := e.of.call.judge(e.err, e.of.said); f != nil {
		f.again = false // the caller has the stream already
		return nil, f
	}
	return &answer{said: e.of.said, err: FromStatus(e.err)}, nil
}

// end tells the run that the stream has ended with err, waits until the guards are left, and returns the error for the caller.
func (o *opened) end(err error) error {
	s := o.call.stream
	if !over(s.call.ctx) { // if the caller's context has ended, the run ends by itself
		o.done.Succeed(ending{o, err})
	}
	<-s.ended
	s.told.Do(func() { o.said.deliver(o.call.opts) })
	switch {
	case s.err != nil: // a failure, or the reason why the run has ended before the stream
		return answered(s.err)
	case err == nil || errors.Is(err, io.EOF):
		return err
	default:
		return answered(FromStatus(err))
	}
}

// SendMsg sends m, or keeps it as the only request until the stream is opened.
func (s *clientStream) SendMsg(m any) error {
	if !s.desc.ClientStreams {
		s.req = m
		return nil
	}
	o, err := s.behind()
	if err != nil {
		return err
	}
	if err = o.SendMsg(m); err != nil && !errors.Is(err, io.EOF) { // with io.EOF RecvMsg has the status
		return o.end(err)
	}
	return err
}

// CloseSend begins a call that sends one request, and doesn't wait for it. For other calls it ends the stream of requests.
func (s *clientStream) CloseSend() error {
	if !s.desc.ClientStreams {
		s.begin.Do(func() { go s.run() })
		return nil
	}
	o, err := s.behind()
	if err != nil {
		return err
	}
	return o.CloseSend()
}

func (s *clientStream) RecvMsg(m any) error {
	o, err := s.behind()
	if err != nil {
		return err
	}
	err = o.over
	if err == nil {
		err = o.RecvMsg(m)
	}
	if err == nil && s.desc.ServerStreams {
		return nil
	}
	return o.end(err)
}

// Header waits for the header. It is nil, without an error, if the stream has ended without one, as in grpc-go.
func (s *clientStream) Header() (metadata.MD, error) {
	if o, err := s.behind(); err == nil && o.ClientStream != nil {
		return o.Header()
	}
	return nil, nil
}

func (s *clientStream) Trailer() metadata.MD {
	<-s.ready
	switch {
	case s.opened != nil && s.opened.ClientStream != nil:
		return s.opened.Trailer()
	case s.opened != nil:
		return nil
	}
	<-s.ended
	if f := failureOf(s.err); f != nil && f.said != nil {
		return f.said.trailer
	}
	return nil
}

func (s *clientStream) Context() context.Context { return s.call.ctx }
