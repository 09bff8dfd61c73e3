package grpcx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/grpcx"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestCode(t *testing.T) {
	beside := fault.Wrap("SoldOut", "", nil)
	beside.Secondary = []error{status.Error(codes.NotFound, "")}
	for _, tt := range []struct {
		err  error
		want codes.Code
	}{
		{nil, codes.OK},
		{io.EOF, codes.Internal}, // no code: a defect
		{fault.New("SoldOut", ""), codes.Unknown},
		{beside, codes.Unknown}, // a secondary status says nothing
		{fault.Timeout, codes.DeadlineExceeded},
		{context.DeadlineExceeded, codes.DeadlineExceeded},
		{context.Canceled, codes.Canceled},
		{fault.DefenseRejected, codes.ResourceExhausted},
		{syncx.CircuitOpen, codes.Unavailable},
		{syncx.LeaseLost, codes.Unavailable},
		{syncx.Deadlock, codes.Unknown},
		{fault.ConnectError, codes.Unavailable},
		{fault.PleaseReauth, codes.Unauthenticated},
		{fault.UnknownInterface, codes.Unimplemented},
		{tool.ErrShutdown, codes.Unavailable},
		{fmt.Errorf("x: %w", status.Error(codes.DataLoss, "")), codes.DataLoss},
		{grpcx.WithCode(codes.FailedPrecondition, fault.New("SoldOut", "")), codes.FailedPrecondition},
		{grpcx.WithCode(codes.Aborted, nil), codes.Aborted},
		{grpcx.WithCode(codes.OK, io.EOF), codes.Internal},
	} {
		if got := grpcx.Code(tt.err); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.err, got, tt.want)
		}
	}
}

// Each code of gRPC except OK and Unknown has a code of package fault that leads back to it. That of Unknown leads to Internal.
func TestFromStatusBack(t *testing.T) {
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		err := grpcx.FromStatus(status.Error(code, "why"))
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || f.Info != "why" || status.Code(err) != code {
			t.Errorf("%v: %v", code, err)
			continue
		}
		want := code
		if code == codes.Unknown {
			want = codes.Internal
		}
		if back := grpcx.Code(f.Code); back != want {
			t.Errorf("%v is %v, which is %v", code, f.Code, back)
		}
	}
}

func TestFromStatusOthers(t *testing.T) {
	if err := grpcx.FromStatus(nil); err != nil {
		t.Error(err)
	}
	if err := grpcx.FromStatus(io.EOF); err != io.EOF {
		t.Error(err)
	}
	known := fault.Wrap("SoldOut", "", status.Error(codes.NotFound, ""))
	if err := grpcx.FromStatus(known); err != error(known) {
		t.Error(err)
	}
	if got := fault.CodeOf(grpcx.FromStatus(status.Error(99, ""))); got != "Code99" {
		t.Error(got)
	}
}

func TestWithCode(t *testing.T) {
	soldOut := fault.New("SoldOut", "nothing left")
	err := grpcx.WithCode(codes.FailedPrecondition, soldOut)
	if !errors.Is(err, soldOut) || err.Error() != soldOut.Error() || status.Convert(err).Message() != "nothing left" {
		t.Error(err, status.Convert(err))
	}
}

func TestIdempotent(t *testing.T) {
	for method, want := range map[string]bool{
		quoteMethod: true, watchMethod: true, buyMethod: false, "/test.Shop/None": false, "/none.None/None": false, "": false, "x": false, "/test.Shop": false,
	} {
		if got := grpcx.Idempotent(method); got != want {
			t.Errorf("%q: %t", method, got)
		}
	}
}
