package grpcx_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/grpcx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// checks is the policy for calls of a health service.
var checks = grpcx.ClientPolicy{
	Retry:      retry.Policy{Tries: 4, Pause: 10 * time.Millisecond, Factor: 2, Jitter: 1},
	Repeatable: func(method string) bool { return method == healthpb.Health_Check_FullMethodName },
	Limit:      2 * time.Second,        // for one attempt
	Hedge:      500 * time.Millisecond, // then another attempt begins beside it
	PerTarget: []func(string) syncx.Guard{
		func(target string) syncx.Guard { return syncx.NewBreaker(syncx.BreakerPolicy{Name: target}) },
		func(string) syncx.Guard { return syncx.NewMutex(100, 1000) },
	},
}

// healthy returns a plan that asks a health service for the state of a service.
func healthy(conn *grpc.ClientConn) flow.Plan[string, bool] {
	request := step.Map(func(service string) *healthpb.HealthCheckRequest {
		return &healthpb.HealthCheckRequest{Service: service}
	})
	serving := step.Map(func(r *healthpb.HealthCheckResponse) bool {
		return r.GetStatus() == healthpb.HealthCheckResponse_SERVING
	})
	return flow.Then(request, flow.Then(grpcx.Call(healthpb.NewHealthClient(conn).Check), serving))
}

func Example() {
	door := syncx.NewMutex(100, 1000) // at most 100 calls at once, and 1000 that wait
	server := grpc.NewServer(grpcx.NewServer(grpcx.ServerPolicy{
		PerMethod: []func(string) syncx.Guard{func(string) syncx.Guard { return door }},
		Limit:     10 * time.Second,
	}).Options()...)
	state := health.NewServer()
	state.SetServingStatus("shop", healthpb.HealthCheckResponse_SERVING)
	healthpb.RegisterHealthServer(server, state)
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()

	options := append(grpcx.NewClient(checks).DialOptions(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	conn, err := grpc.NewClient(listener.Addr().String(), options...)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(flow.Run(context.Background(), healthy(conn), "shop"))
	_, err = flow.Run(context.Background(), healthy(conn), "bank")
	fmt.Println(grpcx.Code(err), fault.CodeOf(err), fault.InfoOf(err))

	fmt.Println(conn.Close())
	server.GracefulStop()
	fmt.Println(<-served)
	// Output:
	// true <nil>
	// NotFound NotFound unknown service
	// <nil>
	// <nil>
}

func ExampleWithCode() {
	soldOut := fault.New("SoldOut", "nothing left in stock")
	err := grpcx.WithCode(codes.FailedPrecondition, soldOut)
	fmt.Println(grpcx.Code(err), errors.Is(err, soldOut))
	fmt.Println(status.Convert(err).Message())
	// Output:
	// FailedPrecondition true
	// nothing left in stock
}

func ExampleCode() {
	fmt.Println(grpcx.Code(fault.Timeout), grpcx.Code(syncx.CircuitOpen), grpcx.Code(fault.New("SoldOut", "")), grpcx.Code(nil))
	// Output: DeadlineExceeded Unavailable Unknown OK
}

func ExampleFromStatus() {
	err := grpcx.FromStatus(status.Error(codes.DeadlineExceeded, "too slow"))
	fmt.Println(errors.Is(err, context.DeadlineExceeded), fault.InfoOf(err))
	// Output: true too slow
}

func ExamplePushback() {
	fmt.Println(grpcx.Pushback(metadata.Pairs("grpc-retry-pushback-ms", "250")))
	fmt.Println(grpcx.Pushback(metadata.MD{}))
	// Output:
	// 250ms true
	// 0s false
}

func ExampleIdempotent() {
	fmt.Println(grpcx.Idempotent("/test.Shop/Quote"), grpcx.Idempotent("/test.Shop/Buy"))
	// Output: true false
}

func ExampleClient_Err() {
	fmt.Println(grpcx.NewClient(grpcx.ClientPolicy{Limit: -time.Second}).Err())
	// Output: InvalidRequest: grpcx: Limit is below zero: -1s
}

func ExampleServer_Err() {
	fmt.Println(grpcx.NewServer(grpcx.ServerPolicy{Limit: -time.Second}).Err())
	// Output: InvalidRequest: grpcx: Limit is below zero: -1s
}
