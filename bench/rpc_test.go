package bench

import (
	"context"
	"testing"

	grpcretry "github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/retry"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/futoin-go/asyncsteps/grpcx"
	"github.com/futoin-go/asyncsteps/retry"
)

// calls returns an operation that calls a server without a network. Each n-th attempt succeeds.
func calls(tb testing.TB, n int, through grpc.UnaryClientInterceptor) operation {
	tb.Helper()
	conn, err := grpc.NewClient("passthrough:///shop", grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = conn.Close() })
	made := 0
	invoke := func(_ context.Context, _ string, req, reply any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
		if made++; made%n != 0 {
			return status.Error(codes.Unavailable, "busy")
		}
		*reply.(*int) = *req.(*int) + 1
		return nil
	}
	return func() (int, error) {
		in, out := 0, 0
		err := through(request, "/shop.Prices/Get", &in, &out, conn, invoke)
		return out, err
	}
}

// rpc: a unary call of gRPC of which the n-th attempt of up to three succeeds, through an interceptor, without pauses and without a
// network.
//
// The floor is an interceptor that calls in a loop.
var rpc = row{
	sizes: []int{1, 3},
	want:  func(int) int { return 1 },
	columns: []column{
		{name: "asyncsteps", build: func(tb testing.TB, n int) operation {
			client := grpcx.NewClient(grpcx.ClientPolicy{Retry: retry.Policy{Tries: 3}, Repeatable: func(string) bool { return true }})
			return calls(tb, n, client.Unary())
		}},
		peer("floor", func(tb testing.TB, n int) operation {
			return calls(tb, n, func(
				ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
			) (err error) {
				for range 3 {
					if err = invoke(ctx, method, req, reply, conn, opts...); err == nil {
						break
					}
				}
				return err
			})
		}),
		peer("middleware", func(tb testing.TB, n int) operation {
			return calls(tb, n, grpcretry.UnaryClientInterceptor(grpcretry.WithMax(3), grpcretry.WithCodes(codes.Unavailable),
				grpcretry.WithBackoff(grpcretry.BackoffLinear(0))))
		}),
	},
}

func BenchmarkRPC(b *testing.B) { rpc.bench(b) }
