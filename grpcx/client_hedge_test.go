package grpcx_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/futoin-go/asyncsteps/grpcx"
	"github.com/futoin-go/asyncsteps/retry"
)

// The slow attempt is cancelled, and its answer is not mixed with the other one's.
func TestUnaryHedge(t *testing.T) {
	left := make(chan error, 1)
	s := &shop{unary: func(ctx context.Context, n int64, in string) (string, error) {
		_ = grpc.SetTrailer(ctx, metadata.Pairs("n", fmt.Sprint(n)))
		if n == 1 {
			<-ctx.Done()
			left <- ctx.Err()
			return "", ctx.Err()
		}
		return in + " again", nil
	}}
	_, addr := serve(t, s)
	client := grpcx.NewClient(grpcx.ClientPolicy{Hedge: time.Millisecond})
	var trailer metadata.MD
	out, err := ask(t.Context(), dial(t, addr, client), quoteMethod, "in", grpc.Trailer(&trailer))
	if out != "in again" || err != nil || fmt.Sprint(trailer.Get("n")) != "[2]" {
		t.Errorf("%q %v, trailer %v", out, err, trailer)
	}
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Error("the attempt that lost was told", err)
	}
}

// What the reply had before is replaced.
func TestUnaryHedgeReplaces(t *testing.T) {
	_, addr := serve(t, &shop{unary: func(context.Context, int64, string) (string, error) { return "", nil }})
	out := wrapperspb.String("old")
	err := dial(t, addr, grpcx.NewClient(grpcx.ClientPolicy{Hedge: time.Minute})).Invoke(t.Context(), quoteMethod, wrapperspb.String("in"), out)
	if out.GetValue() != "" || err != nil {
		t.Error(out, err)
	}
}

func TestUnaryHedgeAnswered(t *testing.T) {
	s := answering(codes.NotFound)
	_, addr := serve(t, s)
	_, err := ask(t.Context(), dial(t, addr, grpcx.NewClient(grpcx.ClientPolicy{Hedge: time.Minute})), quoteMethod, "in")
	if status.Code(err) != codes.NotFound || s.calls.Load() != 1 {
		t.Errorf("%v after %d calls", err, s.calls.Load())
	}
}

// A hedge is for slowness: a failure begins no other attempt.
func TestUnaryHedgeFails(t *testing.T) {
	s := answering(codes.Unavailable)
	_, addr := serve(t, s)
	client := grpcx.NewClient(grpcx.ClientPolicy{Hedge: time.Minute, Hedges: 3, Retry: retry.Policy{Tries: 2}})
	_, err := ask(t.Context(), dial(t, addr, client), quoteMethod, "in")
	if status.Code(err) != codes.Unavailable || s.calls.Load() != 2 {
		t.Errorf("%v after %d calls", err, s.calls.Load())
	}
}

func TestUnaryHedgeNotRepeatable(t *testing.T) {
	s := answering(codes.Internal)
	_, addr := serve(t, s)
	_, err := ask(t.Context(), dial(t, addr, grpcx.NewClient(grpcx.ClientPolicy{Hedge: 1})), buyMethod, "in")
	if status.Code(err) != codes.Internal || s.calls.Load() != 1 {
		t.Errorf("%v after %d calls", err, s.calls.Load())
	}
}
