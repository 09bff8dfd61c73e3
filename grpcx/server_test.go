package grpcx_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/grpcx"
	"github.com/futoin-go/asyncsteps/syncx"
)

// one returns a guard for all methods.
func one(g syncx.Guard) []func(string) syncx.Guard {
	return []func(string) syncx.Guard{func(string) syncx.Guard { return g }}
}

func TestServerAnswers(t *testing.T) {
	for _, tt := range []struct {
		reason  string
		err     error
		want    codes.Code
		message string
		code    fault.Code // by the client's interceptor
		details int        // of the status
	}{
		{"a value", nil, codes.OK, "", "", 0},
		{"a mistake of the client", fault.New(fault.InvalidRequest, "no name"), codes.InvalidArgument, "no name", fault.InvalidRequest, 0},
		{"not found", fault.New("NotFound", "no teapot"), codes.NotFound, "no teapot", "NotFound", 0},
		{"a code of ours that gRPC has no word for", fault.New(fault.PleaseReauth, "expired"), codes.Unauthenticated, "expired", fault.PleaseReauth, 1},
		{"a code of the handler's own", fault.New("SoldOut", "secret"), codes.Unknown, "Unknown", "SoldOut", 1},
		{"with a code of gRPC", grpcx.WithCode(codes.FailedPrecondition, fault.New("SoldOut", "none left")), codes.FailedPrecondition, "none left", "SoldOut", 1},
		{"a plain error", errors.New("secret"), codes.Internal, "Internal", fault.InternalError, 0},
		{"a status", status.Error(codes.Internal, "told"), codes.Internal, "told", fault.InternalError, 0},
		{"a limit", fault.New(fault.Timeout, "secret"), codes.DeadlineExceeded, "DeadlineExceeded", fault.Timeout, 0},
		{"what lies behind is down", fault.New(fault.ConnectError, "secret"), codes.Unavailable, "Unavailable", fault.ConnectError, 1},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			server := grpcx.NewServer(grpcx.ServerPolicy{})
			s := &shop{
				unary: func(context.Context, int64, string) (string, error) { return "out", tt.err },
				chat:  func(grpc.ServerStream) error { return tt.err },
			}
			_, addr := serve(t, s, server.Options()...)
			conn := dial(t, addr, grpcx.NewClient(grpcx.ClientPolicy{}))
			out, unary := ask(t.Context(), conn, buyMethod, "")
			if tt.err == nil {
				if out != "out" || unary != nil {
					t.Error(out, unary)
				}
				return
			}
			stream, err := chat(t.Context(), conn)
			if err != nil {
				t.Fatal(err)
			}
			_, streamed := received(stream)
			for name, err := range map[string]error{"unary": unary, "stream": streamed} {
				st := status.Convert(err)
				if len(st.Details()) != tt.details {
					t.Errorf("%s: the details are %v", name, st.Details())
				}
				if st.Code() != tt.want || st.Message() != tt.message || fault.CodeOf(err) != tt.code {
					t.Errorf("%s: %v %q, %s, want %v %q, %s", name, st.Code(), st.Message(), fault.CodeOf(err), tt.want, tt.message, tt.code)
				}
			}
		})
	}
}

func TestServerSheds(t *testing.T) {
	full := syncx.NewMutex(1, 0)
	open := syncx.NewBreaker(syncx.BreakerPolicy{})
	open.Isolate()
	for _, tt := range []struct {
		reason string
		guard  syncx.Guard
		want   codes.Code
		code   fault.Code
	}{
		{"full", full, codes.ResourceExhausted, fault.DefenseRejected},
		{"open", open, codes.Unavailable, syncx.CircuitOpen},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			inside, goOn := make(chan struct{}, 1), make(chan struct{})
			wait := func() { inside <- struct{}{}; <-goOn }
			s := &shop{
				unary: func(context.Context, int64, string) (string, error) { wait(); return "", nil },
				chat:  func(grpc.ServerStream) error { wait(); return nil },
			}
			_, addr := serve(t, s, grpcx.NewServer(grpcx.ServerPolicy{PerMethod: one(tt.guard)}).Options()...)
			conn := dial(t, addr, nil)
			first := make(chan error, 1)
			if tt.guard == syncx.Guard(full) {
				go func() {
					_, err := ask(t.Context(), conn, quoteMethod, "")
					first <- err
				}()
				<-inside
			} else {
				first <- nil
			}
			var unary, streamed metadata.MD
			_, err := ask(t.Context(), conn, quoteMethod, "", grpc.Trailer(&unary))
			stream, failed := chat(t.Context(), conn, grpc.Trailer(&streamed))
			if failed != nil {
				t.Fatal(failed)
			}
			_, streamErr := received(stream)
			for name, err := range map[string]error{"unary": err, "stream": streamErr} {
				if status.Code(err) != tt.want || fault.CodeOf(grpcx.FromStatus(err)) != tt.code {
					t.Errorf("%s: %v, %s", name, err, fault.CodeOf(grpcx.FromStatus(err)))
				}
			}
			for name, trailer := range map[string]metadata.MD{"unary": unary, "stream": streamed} {
				if d, ok := grpcx.Pushback(trailer); !ok || d < time.Second {
					t.Errorf("%s: pushback %v %t", name, d, ok)
				}
			}
			close(goOn)
			if err := <-first; err != nil {
				t.Error("the call inside:", err)
			}
		})
	}
}

// Failures of handlers open a breaker, mistakes of clients don't. Each method has a breaker of its own.
func TestServerBreaker(t *testing.T) {
	err := atomic.Pointer[error]{}
	s := &shop{unary: func(context.Context, int64, string) (string, error) { return "", *err.Load() }}
	server := grpcx.NewServer(grpcx.ServerPolicy{PerMethod: []func(string) syncx.Guard{
		func(method string) syncx.Guard {
			return syncx.NewBreaker(syncx.BreakerPolicy{Name: method, Failures: 1})
		},
	}})
	_, addr := serve(t, s, server.Options()...)
	conn := dial(t, addr, nil)
	var got []codes.Code
	for _, one := range []error{fault.New("NotFound", ""), fault.New("NotFound", ""), errors.New("defect"), nil} {
		err.Store(&one)
		_, failed := ask(t.Context(), conn, quoteMethod, "")
		got = append(got, status.Code(failed))
	}
	_, other := ask(t.Context(), conn, buyMethod, "")
	if want := "[NotFound NotFound Internal Unavailable]"; fmt.Sprint(got) != want || other != nil {
		t.Errorf("%v, the other method %v", got, other)
	}
}

func TestServerPanic(t *testing.T) {
	var seen atomic.Pointer[fault.Panic]
	outside := func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		reply, err := handler(ctx, req)
		if p, ok := errors.AsType[*fault.Panic](err); ok {
			seen.Store(p)
		}
		return reply, err
	}
	s := &shop{unary: func(context.Context, int64, string) (string, error) { panic("defect") }}
	_, addr := serve(t, s, append([]grpc.ServerOption{grpc.ChainUnaryInterceptor(outside)}, grpcx.NewServer(grpcx.ServerPolicy{}).Options()...)...)
	_, err := ask(t.Context(), dial(t, addr, nil), quoteMethod, "")
	if st := status.Convert(err); st.Code() != codes.Internal || st.Message() != "Internal" {
		t.Error(err)
	}
	if p := seen.Load(); p == nil || p.Value != "defect" {
		t.Error("outside was seen", p)
	}
}

func TestServerEndsHandlers(t *testing.T) {
	for _, tt := range []struct {
		reason string
		limit  time.Duration
		stop   bool
		want   codes.Code
	}{
		{"a limit", 10 * time.Millisecond, false, codes.DeadlineExceeded},
		{"a server that is stopped", 0, true, codes.Unavailable},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			s, begun, left := hanging()
			server, addr := serve(t, s, grpcx.NewServer(grpcx.ServerPolicy{Limit: tt.limit}).Options()...)
			if tt.stop {
				go func() {
					<-begun
					server.Stop()
				}()
			}
			_, err := ask(t.Context(), dial(t, addr, nil), quoteMethod, "")
			if status.Code(err) != tt.want {
				t.Error(err)
			}
			<-left
		})
	}
}

func TestServerGracefulStop(t *testing.T) {
	door := syncx.NewMutex(1, 1)
	inside, goOn := make(chan struct{}, 2), make(chan struct{})
	s := &shop{unary: func(context.Context, int64, string) (string, error) {
		inside <- struct{}{}
		<-goOn
		return "done", nil
	}}
	server, addr := serve(t, s, grpcx.NewServer(grpcx.ServerPolicy{PerMethod: one(door)}).Options()...)
	conn := dial(t, addr, nil)
	answers := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := ask(t.Context(), conn, quoteMethod, "")
			answers <- err
		}()
	}
	<-inside
	until(func() bool { return door.Queued() == 1 })
	stopped := make(chan struct{})
	go func() { server.GracefulStop(); close(stopped) }()
	close(goOn)
	for range 2 {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	<-stopped
}

func TestServerPriority(t *testing.T) {
	door := syncx.NewMutex(1, 5).ByPriority(0)
	inside, goOn := make(chan string, 5), make(chan struct{})
	s := &shop{unary: func(_ context.Context, _ int64, in string) (string, error) {
		inside <- in
		<-goOn
		return "", nil
	}}
	server := grpcx.NewServer(grpcx.ServerPolicy{PerMethod: one(door), Priority: func(ctx context.Context, _ string) int {
		md, _ := metadata.FromIncomingContext(ctx)
		return len(md.Get("urgent"))
	}})
	_, addr := serve(t, s, server.Options()...)
	conn := dial(t, addr, nil)
	answers := make(chan error, 4)
	begin := func(ctx context.Context, in string, queued int) {
		go func() {
			_, err := ask(ctx, conn, quoteMethod, in)
			answers <- err
		}()
		until(func() bool { return door.Queued() == queued && door.Inside() == 1 })
	}
	gone, leave := context.WithCancel(t.Context())
	begin(t.Context(), "first", 0)
	begin(gone, "gone", 1)
	begin(t.Context(), "usual", 2)
	begin(metadata.AppendToOutgoingContext(t.Context(), "urgent", ""), "urgent", 3)
	leave()
	if err := <-answers; status.Code(err) != codes.Canceled {
		t.Error(err)
	}
	until(func() bool { return door.Queued() == 2 }) // the cancelled one has left
	close(goOn)
	for range 3 {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	if order := fmt.Sprint(<-inside, <-inside, <-inside); order != fmt.Sprint("first", "urgent", "usual") {
		t.Error(order)
	}
}

func TestServerErr(t *testing.T) {
	for reason, p := range map[string]grpcx.ServerPolicy{"Limit": {Limit: -1}, "guard": {PerMethod: []func(string) syncx.Guard{nil}}} {
		server := grpcx.NewServer(p)
		_, addr := serve(t, answering(codes.OK), server.Options()...)
		_, err := ask(t.Context(), dial(t, addr, nil), quoteMethod, "")
		if server.Err() == nil || status.Code(err) != codes.Internal {
			t.Errorf("%s: %v, the call %v", reason, server.Err(), err)
		}
	}
	if err := grpcx.NewServer(grpcx.ServerPolicy{}).Err(); err != nil {
		t.Error(err)
	}
}
