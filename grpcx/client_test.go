package grpcx_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/grpcx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// answering is a shop that answers with each code in turn, and with the last one from then on.
func answering(all ...codes.Code) *shop {
	return &shop{unary: func(ctx context.Context, n int64, in string) (string, error) {
		code := all[min(int(n), len(all))-1]
		err := grpc.SetTrailer(ctx, metadata.Pairs("n", fmt.Sprint(n)))
		if code != codes.OK {
			return "", status.Error(code, fmt.Sprint("answer ", n))
		}
		return fmt.Sprint(in, " ", n), err
	}}
}

func TestUnaryRepeats(t *testing.T) {
	always := func(string) bool { return true }
	for _, tt := range []struct {
		reason string
		policy grpcx.ClientPolicy
		method string
		codes  []codes.Code
		want   codes.Code
		calls  int64
	}{
		{"a success", grpcx.ClientPolicy{}, quoteMethod, []codes.Code{codes.OK}, codes.OK, 1},
		{"a failure, then a success", grpcx.ClientPolicy{}, quoteMethod, []codes.Code{codes.Unavailable, codes.OK}, codes.OK, 2},
		{"the answer of the last attempt", grpcx.ClientPolicy{}, quoteMethod, []codes.Code{codes.Internal}, codes.Internal, 3},
		{"a code that is no failure", grpcx.ClientPolicy{}, quoteMethod, []codes.Code{codes.NotFound, codes.OK}, codes.NotFound, 1},
		{"a method with side effects", grpcx.ClientPolicy{}, buyMethod, []codes.Code{codes.Unavailable, codes.OK}, codes.Unavailable, 1},
		{
			"one that the policy says may be repeated", grpcx.ClientPolicy{Repeatable: always}, buyMethod,
			[]codes.Code{codes.Unavailable, codes.OK}, codes.OK, 2,
		},
		{"one attempt", grpcx.ClientPolicy{Retry: retry.Policy{Tries: 1}}, quoteMethod, []codes.Code{codes.Unavailable, codes.OK}, codes.Unavailable, 1},
		{
			"another idea of a failure", grpcx.ClientPolicy{Failure: func(c codes.Code) bool { return c == codes.Aborted }}, quoteMethod,
			[]codes.Code{codes.Aborted, codes.Unavailable}, codes.Unavailable, 2,
		},
		{
			"retry.Policy.Codes narrow", grpcx.ClientPolicy{Retry: retry.Policy{Codes: []fault.Code{fault.DefenseRejected}}}, quoteMethod,
			[]codes.Code{codes.ResourceExhausted, codes.Unavailable, codes.OK}, codes.Unavailable, 2,
		},
		{
			"retry.Policy.If doesn't widen", grpcx.ClientPolicy{Retry: retry.Policy{If: func(error) bool { return true }}}, buyMethod,
			[]codes.Code{codes.Unavailable, codes.OK}, codes.Unavailable, 1,
		},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			s := answering(tt.codes...)
			_, addr := serve(t, s)
			var trailer metadata.MD
			var from peer.Peer
			out, err := ask(t.Context(), dial(t, addr, grpcx.NewClient(tt.policy)), tt.method, "in", grpc.Trailer(&trailer), grpc.Peer(&from))
			if status.Code(err) != tt.want || s.calls.Load() != tt.calls {
				t.Errorf("%v after %d calls, want %v after %d", err, s.calls.Load(), tt.want, tt.calls)
			}
			if want := fmt.Sprint("in ", tt.calls); err == nil && out != want {
				t.Errorf("the answer is %q, want %q", out, want)
			}
			if want := fmt.Sprint("answer ", tt.calls); err != nil && status.Convert(err).Message() != want {
				t.Errorf("the message is %q, want %q", status.Convert(err).Message(), want)
			}
			if got := trailer.Get("n"); len(got) != 1 || got[0] != fmt.Sprint(tt.calls) {
				t.Errorf("the trailer is of the calls %q, want %d", got, tt.calls)
			}
			if from.Addr == nil || from.Addr.String() != addr {
				t.Errorf("the peer is %v", from.Addr)
			}
		})
	}
}

func TestUnaryPushback(t *testing.T) {
	for _, tt := range []struct {
		reason string
		values []string
		policy grpcx.ClientPolicy
		limit  time.Duration
		calls  int64
		pause  time.Duration
	}{
		{"a time", []string{"1"}, grpcx.ClientPolicy{}, 0, 2, time.Millisecond},
		{"none: the pause of the policy", nil, grpcx.ClientPolicy{Retry: retry.Policy{Pause: 2 * time.Millisecond}}, 0, 2, 2 * time.Millisecond},
		{"not again", []string{"-1"}, grpcx.ClientPolicy{}, 0, 1, 0},
		{"malformed", []string{"soon"}, grpcx.ClientPolicy{}, 0, 1, 0},
		{"two values", []string{"1", "2"}, grpcx.ClientPolicy{}, 0, 1, 0},
		{"too long", []string{"60001"}, grpcx.ClientPolicy{}, 0, 1, 0},
		{"beyond the deadline", []string{"60000"}, grpcx.ClientPolicy{}, 50 * time.Second, 1, 0},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			s := &shop{unary: func(ctx context.Context, n int64, _ string) (string, error) {
				if n > 1 {
					return "", nil
				}
				for _, v := range tt.values {
					_ = grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", v))
				}
				return "", status.Error(codes.Unavailable, "busy")
			}}
			_, addr := serve(t, s)
			var paused []time.Duration
			tt.policy.Retry.OnRetry = func(_ int, _ error, pause time.Duration) { paused = append(paused, pause) }
			ctx := t.Context()
			if tt.limit > 0 {
				var stop context.CancelFunc
				ctx, stop = context.WithTimeout(ctx, tt.limit)
				defer stop()
			}
			_, err := ask(ctx, dial(t, addr, grpcx.NewClient(tt.policy)), quoteMethod, "")
			if s.calls.Load() != tt.calls || (err == nil) != (tt.calls == 2) {
				t.Fatalf("%d calls, %v", s.calls.Load(), err)
			}
			if tt.calls == 2 && (len(paused) != 1 || paused[0] != tt.pause) {
				t.Errorf("the pauses are %v, want %v", paused, tt.pause)
			}
		})
	}
}

// A RetryInfo counts as the trailer does, also for a retry.Policy around a step, which sees no trailers.
func TestRetryInfo(t *testing.T) {
	told, err := status.New(codes.Unavailable, "busy").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	paused := func(p *retry.Policy) *[]time.Duration {
		var all []time.Duration
		p.OnRetry = func(_ int, _ error, pause time.Duration) { all = append(all, pause) }
		return &all
	}
	t.Run("interceptor", func(t *testing.T) {
		s := &shop{unary: func(_ context.Context, n int64, _ string) (string, error) {
			if n == 1 {
				return "", told.Err()
			}
			return "", nil
		}}
		_, addr := serve(t, s)
		var policy grpcx.ClientPolicy
		pauses := paused(&policy.Retry)
		_, err := ask(t.Context(), dial(t, addr, grpcx.NewClient(policy)), quoteMethod, "")
		if err != nil || len(*pauses) != 1 || (*pauses)[0] != time.Millisecond {
			t.Errorf("%v, pauses %v", err, *pauses)
		}
	})
	t.Run("FromStatus", func(t *testing.T) {
		var policy retry.Policy
		pauses := paused(&policy)
		_, err := flow.Run(t.Context(), retry.Of(policy, step.Func(func(as step.Scope, n int) (int, error) {
			if as.Attempt() == 1 {
				return 0, grpcx.FromStatus(told.Err())
			}
			return n, nil
		})), 7)
		if err != nil || len(*pauses) != 1 || (*pauses)[0] != time.Millisecond {
			t.Errorf("%v, pauses %v", err, *pauses)
		}
	})
}

// hanging is a shop whose calls wait until their context ends; begun has a value for each call.
func hanging() (s *shop, begun chan struct{}, left chan error) {
	begun, left = make(chan struct{}, 10), make(chan error, 10)
	s = &shop{unary: func(ctx context.Context, _ int64, _ string) (string, error) {
		begun <- struct{}{}
		<-ctx.Done()
		left <- ctx.Err()
		return "", ctx.Err()
	}}
	return s, begun, left
}

func TestUnaryLimit(t *testing.T) {
	s, _, left := hanging()
	_, addr := serve(t, s)
	// On a loaded machine the limit may pass before a call reaches the server, so only the client's tries are counted.
	tries := 0
	policy := grpcx.ClientPolicy{Limit: 20 * time.Millisecond, Retry: retry.Policy{Tries: 2, OnRetry: func(int, error, time.Duration) { tries++ }}}
	_, err := ask(t.Context(), dial(t, addr, grpcx.NewClient(policy)), quoteMethod, "in")
	if status.Code(err) != codes.DeadlineExceeded || !errors.Is(err, fault.Timeout) || tries != 1 {
		t.Errorf("%v after %d further tries", err, tries)
	}
	for range s.calls.Load() {
		<-left // the server was told
	}
}

func TestUnaryCancel(t *testing.T) {
	s, begun, left := hanging()
	_, addr := serve(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	_, err := ask(ctx, dial(t, addr, grpcx.NewClient(grpcx.ClientPolicy{})), quoteMethod, "in")
	if status.Code(err) != codes.Canceled || !errors.Is(err, context.Canceled) || s.calls.Load() != 1 {
		t.Errorf("%v after %d calls", err, s.calls.Load())
	}
	<-left
}

// The deadline of the call reaches the server, and the breaker asks its policy whose fault it is: rule G6.
func TestUnaryDeadline(t *testing.T) {
	deadline := make(chan bool, 1)
	s := &shop{unary: func(ctx context.Context, _ int64, _ string) (string, error) {
		_, ok := ctx.Deadline()
		deadline <- ok
		<-ctx.Done()
		return "", ctx.Err()
	}}
	_, addr := serve(t, s)
	outer := 0
	breaker := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1, Outer: func(time.Duration) bool {
		outer++
		return false
	}})
	client := grpcx.NewClient(grpcx.ClientPolicy{PerTarget: []func(string) syncx.Guard{func(string) syncx.Guard { return breaker }}})
	conn := dial(t, addr, client)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := ask(ctx, conn, quoteMethod, "in"); status.Code(err) != codes.DeadlineExceeded || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if s.calls.Load() > 0 && !<-deadline {
		t.Error("the server was told no deadline")
	}
	if breaker.State() != syncx.Closed || outer != 1 {
		t.Errorf("the breaker is %v, and was asked %d times whose fault it is", breaker.State(), outer)
	}
}

// If nobody listens, attempts fail and are tried again, except those of a call that sends a stream.
func TestUnaryNoServer(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	tries := 0
	client := grpcx.NewClient(grpcx.ClientPolicy{
		Retry:      retry.Policy{OnRetry: func(int, error, time.Duration) { tries++ }},
		Repeatable: func(string) bool { return true },
	})
	conn := dial(t, addr, client)
	if _, err := chat(t.Context(), conn); status.Code(err) != codes.Unavailable || tries != 0 {
		t.Errorf("a stream: %v after %d further tries", err, tries)
	}
	_, err = ask(t.Context(), conn, quoteMethod, "in")
	if status.Code(err) != codes.Unavailable || !errors.Is(err, fault.CommError) || tries != 2 {
		t.Errorf("%v after %d further tries", err, tries)
	}
}

func TestUnaryBreaker(t *testing.T) {
	s := answering(codes.NotFound, codes.NotFound, codes.Internal, codes.Internal)
	_, addr := serve(t, s)
	made := 0
	client := grpcx.NewClient(grpcx.ClientPolicy{
		Retry: retry.Policy{Tries: 1},
		PerTarget: []func(string) syncx.Guard{func(target string) syncx.Guard {
			made++
			return syncx.NewBreaker(syncx.BreakerPolicy{Name: target, Failures: 2})
		}},
	})
	conn := dial(t, addr, client)
	var got []codes.Code
	var last error
	for range 5 {
		_, last = ask(t.Context(), conn, quoteMethod, "in")
		got = append(got, status.Code(last))
	}
	if want := "[NotFound NotFound Internal Internal Unavailable]"; fmt.Sprint(got) != want || s.calls.Load() != 4 || made != 1 {
		t.Errorf("%v, %d calls, %d breakers", got, s.calls.Load(), made)
	}
	if refused, ok := errors.AsType[*syncx.Refusal](last); !ok || fault.CodeOf(last) != syncx.CircuitOpen {
		t.Errorf("%v, refused by %v", last, refused)
	}
}

func TestClientErr(t *testing.T) {
	for reason, p := range map[string]grpcx.ClientPolicy{
		"Limit":           {Limit: -1},
		"Hedge":           {Hedge: -1},
		"Hedges":          {Hedges: -1},
		"too many Hedges": {Hedge: 1, Hedges: math.MaxInt},
		"Retry":           {Retry: retry.Policy{Pause: -1}},
		"guard":           {PerTarget: []func(string) syncx.Guard{nil}},
	} {
		client := grpcx.NewClient(p)
		conn, err := grpc.NewClient("passthrough:///none", append(client.DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ask(t.Context(), conn, quoteMethod, ""); client.Err() == nil || fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: %v, the call %v", reason, client.Err(), err)
		}
		if _, err := chat(t.Context(), conn); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: the stream %v", reason, err)
		}
		_ = conn.Close()
	}
	if err := grpcx.NewClient(grpcx.ClientPolicy{}).Err(); err != nil {
		t.Error(err)
	}
	if tree := grpcx.NewClient(grpcx.ClientPolicy{Hedge: 1}).Tree(); tree == nil {
		t.Error("no tree")
	}
}

func TestClientPanic(t *testing.T) {
	_, addr := serve(t, answering(codes.Internal))
	for reason, p := range map[string]grpcx.ClientPolicy{
		"Repeatable": {Repeatable: func(string) bool { panic("defect") }},
		"Failure":    {Failure: func(codes.Code) bool { panic("defect") }},
		"guard":      {PerTarget: []func(string) syncx.Guard{func(string) syncx.Guard { panic("defect") }}},
	} {
		_, err := ask(t.Context(), dial(t, addr, grpcx.NewClient(p)), quoteMethod, "")
		if p, ok := errors.AsType[*fault.Panic](err); !ok || p.Value != "defect" || status.Code(err) != codes.Internal {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

func TestCall(t *testing.T) {
	_, addr := serve(t, answering(codes.NotFound, codes.OK))
	conn := dial(t, addr, nil)
	quote := grpcx.Call(func(ctx context.Context, in string, opts ...grpc.CallOption) (string, error) {
		return ask(ctx, conn, quoteMethod, in, opts...)
	})
	_, err := flow.Run(t.Context(), quote, "in")
	if fault.CodeOf(err) != "NotFound" || fault.InfoOf(err) != "answer 1" || grpcx.Code(err) != codes.NotFound {
		t.Error(err)
	}
	if out, err := flow.Run(t.Context(), quote, "in"); out != "in 2" || err != nil {
		t.Error(out, err)
	}
	if err := grpcx.Call[string, string](nil).Err(); err == nil {
		t.Error("a nil method has no error")
	}
}
