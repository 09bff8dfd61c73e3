package grpcx_test

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/futoin-go/asyncsteps/grpcx"
	"github.com/futoin-go/asyncsteps/retry"
)

// slowHeader is a stream without messages whose header takes a second.
type slowHeader struct {
	grpc.ClientStream

	ctx context.Context
}

func (s *slowHeader) Header() (metadata.MD, error) {
	select {
	case <-time.After(time.Second):
		return metadata.MD{}, nil
	case <-s.ctx.Done():
		return nil, s.ctx.Err()
	}
}

func (*slowHeader) SendMsg(any) error { return nil }

func (*slowHeader) CloseSend() error { return nil }

func (*slowHeader) RecvMsg(any) error { return io.EOF }

// An attempt whose header comes at the moment of its limit leaves no stream open.
func TestStreamLimitAtTheHeader(t *testing.T) {
	conn := dial(t, "localhost:1", nil)
	client := grpcx.NewClient(grpcx.ClientPolicy{
		Limit: time.Second, Repeatable: func(string) bool { return true }, Retry: retry.Policy{Tries: 2, Pause: time.Second},
	})
	synctest.Test(t, func(t *testing.T) {
		for range 500 {
			var all []context.Context
			begun := func(ctx context.Context, _ *grpc.StreamDesc, _ *grpc.ClientConn, _ string, _ ...grpc.CallOption) (grpc.ClientStream, error) {
				for _, earlier := range all {
					if earlier.Err() == nil {
						t.Error("the stream of the attempt before is open")
					}
				}
				all = append(all, ctx)
				return &slowHeader{ctx: ctx}, nil
			}
			stream, err := client.Stream()(t.Context(), &grpc.StreamDesc{ServerStreams: true}, conn, watchMethod, begun)
			if err != nil {
				t.Fatal(err)
			}
			_ = stream.RecvMsg(nil)
			for _, ctx := range all {
				if ctx.Err() == nil {
					t.Fatal("a stream was left open")
				}
			}
		}
	})
}
