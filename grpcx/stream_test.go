package grpcx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/grpcx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/syncx"
)

// counting returns a client whose calls are sections of a limit and of a breaker.
func counting(p grpcx.ClientPolicy) (client *grpcx.Client, limit *syncx.Mutex, breaker *syncx.Breaker) {
	limit, breaker = syncx.NewMutex(1, 0), syncx.NewBreaker(syncx.BreakerPolicy{Failures: 100})
	p.PerTarget = []func(string) syncx.Guard{
		func(string) syncx.Guard { return limit }, func(string) syncx.Guard { return breaker },
	}
	return grpcx.NewClient(p), limit, breaker
}

func send(stream grpc.ServerStream, all ...int64) error {
	for _, n := range all {
		if err := stream.SendMsg(wrapperspb.Int64(n)); err != nil {
			return err
		}
	}
	return nil
}

func TestStreamOfAnswers(t *testing.T) {
	unavailable, missing := status.Error(codes.Unavailable, "busy"), status.Error(codes.NotFound, "none")
	for _, tt := range []struct {
		reason   string
		sent     [][]int64 // by each call
		ends     []error   // of each call
		got      string
		want     codes.Code
		calls    int64
		failures int // that the breaker has seen
	}{
		{"a success", [][]int64{{1, 2}}, []error{nil}, "[1 2]", codes.OK, 1, 0},
		{"an empty stream", [][]int64{nil}, []error{nil}, "[]", codes.OK, 1, 0},
		{"a failure before the first message is repeated", [][]int64{nil, {3}}, []error{unavailable, nil}, "[3]", codes.OK, 2, 1},
		{"a failure after it isn't", [][]int64{{1}, {3}}, []error{unavailable, nil}, "[1]", codes.Unavailable, 1, 1},
		{"the last attempt", [][]int64{nil, nil, nil}, []error{unavailable, unavailable, unavailable}, "[]", codes.Unavailable, 3, 3},
		{"an answer that is no failure", [][]int64{nil}, []error{missing}, "[]", codes.NotFound, 1, 0},
		{"the same after a message", [][]int64{{1}}, []error{missing}, "[1]", codes.NotFound, 1, 0},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			s := &shop{watch: func(n int64, in string, out grpc.ServerStream) error {
				if in != "in" {
					return status.Error(codes.InvalidArgument, in)
				}
				out.SetTrailer(metadata.Pairs("n", fmt.Sprint(n)))
				return errors.Join(send(out, tt.sent[n-1]...), tt.ends[n-1])
			}}
			_, addr := serve(t, s)
			client, limit, breaker := counting(grpcx.ClientPolicy{})
			var trailer metadata.MD
			stream := watch(t.Context(), t, dial(t, addr, client), grpc.Trailer(&trailer))
			got, err := received(stream)
			if errors.Is(err, io.EOF) {
				err = nil
			}
			if fmt.Sprint(got) != tt.got || status.Code(err) != tt.want || s.calls.Load() != tt.calls {
				t.Errorf("%v, %v after %d calls", got, err, s.calls.Load())
			}
			for name, md := range map[string]metadata.MD{"the option": trailer, "Trailer": stream.Trailer()} {
				if got := fmt.Sprint(md.Get("n")); got != fmt.Sprint("[", tt.calls, "]") {
					t.Errorf("%s has the trailer of %s", name, got)
				}
			}
			if _, failures := breaker.Counts(); failures != tt.failures || limit.Inside() != 0 || breaker.Inside() != 0 {
				t.Errorf("%d failures, %d inside", failures, limit.Inside())
			}
			if err := stream.RecvMsg(&number{}); err == nil {
				t.Error("a message after the end")
			}
		})
	}
}

// A stream is inside of the guards until it has ended. Its header is that of the server, its context that of the caller.
func TestStreamHoldsGuards(t *testing.T) {
	goOn := make(chan struct{})
	s := &shop{watch: func(_ int64, _ string, out grpc.ServerStream) error {
		err := errors.Join(out.SetHeader(metadata.Pairs("k", "v")), send(out, 1))
		<-goOn
		return err
	}}
	_, addr := serve(t, s)
	client, limit, _ := counting(grpcx.ClientPolicy{})
	conn := dial(t, addr, client)
	var option metadata.MD
	stream := watch(t.Context(), t, conn, grpc.Header(&option))
	header, err := stream.Header()
	if err != nil || fmt.Sprint(header.Get("k")) != "[v]" || limit.Inside() != 1 || stream.Context() != t.Context() {
		t.Errorf("header %v %v, %d inside", header, err, limit.Inside())
	}
	second := watch(t.Context(), t, conn)
	if _, err := received(second); status.Code(err) != codes.ResourceExhausted || fault.CodeOf(err) != fault.DefenseRejected {
		t.Error("a second stream:", err)
	}
	if header, err := second.Header(); header != nil || err != nil || second.Trailer() != nil {
		t.Error("a refused stream has a header or a trailer")
	}
	close(goOn)
	if got, err := received(stream); fmt.Sprint(got) != "[1]" || !errors.Is(err, io.EOF) || limit.Inside() != 0 {
		t.Errorf("%v %v, %d inside", got, err, limit.Inside())
	}
	if fmt.Sprint(option.Get("k")) != "[v]" {
		t.Error("the option has the header", option)
	}
}

func TestStreamBothWays(t *testing.T) {
	echo := func(stream grpc.ServerStream) error {
		for {
			in := &number{}
			err := stream.RecvMsg(in)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err == nil {
				err = stream.SendMsg(in)
			}
			if err != nil {
				return err
			}
		}
	}
	for _, tt := range []struct {
		reason string
		cut    func(cancel context.CancelFunc, server *grpc.Server, stream grpc.ClientStream) error
		want   codes.Code
	}{
		{"the end of what is sent", func(_ context.CancelFunc, _ *grpc.Server, s grpc.ClientStream) error { return s.CloseSend() }, codes.OK},
		{"a cancel", func(cancel context.CancelFunc, _ *grpc.Server, _ grpc.ClientStream) error { cancel(); return nil }, codes.Canceled},
		{"a server that is stopped", func(_ context.CancelFunc, s *grpc.Server, _ grpc.ClientStream) error { s.Stop(); return nil }, codes.Unavailable},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			s := &shop{chat: echo}
			server, addr := serve(t, s)
			client, limit, _ := counting(grpcx.ClientPolicy{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stream, err := chat(ctx, dial(t, addr, client))
			if err != nil {
				t.Fatal(err)
			}
			out := &number{}
			if err := errors.Join(stream.SendMsg(wrapperspb.Int64(7)), stream.RecvMsg(out)); err != nil || out.GetValue() != 7 || limit.Inside() != 1 {
				t.Fatalf("%v %v, %d inside", out, err, limit.Inside())
			}
			if err := tt.cut(cancel, server, stream); err != nil {
				t.Fatal(err)
			}
			_, err = received(stream)
			if errors.Is(err, io.EOF) {
				err = nil
			}
			if status.Code(err) != tt.want || limit.Inside() != 0 || s.calls.Load() != 1 {
				t.Errorf("%v, %d inside", err, limit.Inside())
			}
			if err := stream.SendMsg(wrapperspb.Int64(8)); err == nil && tt.want != codes.OK {
				t.Error("sent after the end")
			}
		})
	}
}

func TestStreamOfRequests(t *testing.T) {
	_, addr := serve(t, &shop{})
	client, limit, _ := counting(grpcx.ClientPolicy{})
	stream, err := dial(t, addr, client).NewStream(t.Context(), &grpc.StreamDesc{StreamName: "Sum", ClientStreams: true}, sumMethod)
	if err != nil {
		t.Fatal(err)
	}
	out := &number{}
	if err := errors.Join(stream.SendMsg(wrapperspb.Int64(2)), stream.SendMsg(wrapperspb.Int64(3)), stream.CloseSend(), stream.RecvMsg(out)); err != nil ||
		out.GetValue() != 5 || limit.Inside() != 0 {
		t.Errorf("%v %v, %d inside", out, err, limit.Inside())
	}
}

// If the stream can't be made because of an error that isn't a failure, that is an error of the call.
func TestStreamNotMade(t *testing.T) {
	client, limit, _ := counting(grpcx.ClientPolicy{})
	refuses := func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, ...grpc.CallOption) (grpc.ClientStream, error) {
		return nil, status.Error(codes.Unauthenticated, "who are you")
	}
	_, addr := serve(t, &shop{})
	stream, err := client.Stream()(t.Context(), &grpc.StreamDesc{ClientStreams: true}, dial(t, addr, nil), sumMethod, refuses)
	if stream != nil || status.Code(err) != codes.Unauthenticated || limit.Inside() != 0 {
		t.Errorf("%v %v, %d inside", stream, err, limit.Inside())
	}
}

// If a caller goes away without receiving, the calls end at the server, and nothing is left behind.
func TestStreamForsaken(t *testing.T) {
	left := make(chan error, 2)
	waits := func(stream grpc.ServerStream) error {
		<-stream.Context().Done()
		left <- stream.Context().Err()
		return stream.Context().Err()
	}
	s := &shop{chat: waits, watch: func(_ int64, _ string, stream grpc.ServerStream) error { return waits(stream) }}
	_, addr := serve(t, s)
	client := grpcx.NewClient(grpcx.ClientPolicy{})
	conn := dial(t, addr, client)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := chat(ctx, conn); err != nil {
		t.Fatal(err)
	}
	watch(ctx, t, conn)
	until(func() bool { return s.calls.Load() == 2 })
	cancel()
	<-left
	<-left
}

// A limit ends an attempt whose first message doesn't come.
func TestStreamLimit(t *testing.T) {
	s := &shop{watch: func(n int64, _ string, out grpc.ServerStream) error {
		<-out.Context().Done()
		return out.Context().Err()
	}}
	_, addr := serve(t, s)
	client, limit, _ := counting(grpcx.ClientPolicy{Limit: 20 * time.Millisecond, Retry: retry.Policy{Tries: 2}})
	_, err := received(watch(t.Context(), t, dial(t, addr, client)))
	if status.Code(err) != codes.DeadlineExceeded || !errors.Is(err, fault.Timeout) || limit.Inside() != 0 {
		t.Errorf("%v, %d inside", err, limit.Inside())
	}
}

func TestStreamDeadline(t *testing.T) {
	s := &shop{watch: func(_ int64, _ string, out grpc.ServerStream) error {
		if _, ok := out.Context().Deadline(); !ok {
			return status.Error(codes.InvalidArgument, "the server was told no deadline")
		}
		err := send(out, 1)
		<-out.Context().Done()
		return err
	}}
	_, addr := serve(t, s)
	client, limit, breaker := counting(grpcx.ClientPolicy{})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := received(watch(ctx, t, dial(t, addr, client)))
	if status.Code(err) != codes.DeadlineExceeded || !errors.Is(err, context.DeadlineExceeded) || limit.Inside() != 0 || breaker.Inside() != 0 {
		t.Errorf("%v, %d inside", err, limit.Inside())
	}
}
