// Package grpcx connects plans with gRPC. Its interceptors repeat, limit and guard the calls of a client, hedge its unary
// calls, and limit and guard the calls of a server. It converts errors between the codes of gRPC and those of package fault.
//
// For a client, [NewClient] makes interceptors of a [ClientPolicy]:
//
//	client := grpcx.NewClient(grpcx.ClientPolicy{
//		Retry:     retry.Policy{Tries: 4, Pause: 100 * time.Millisecond, Factor: 2, Jitter: 1},
//		Limit:     2 * time.Second,
//		PerTarget: []func(string) syncx.Guard{breaker},
//	})
//	conn, err := grpc.NewClient(target, append(client.DialOptions(), credentials)...)
//
// [Call] makes a step of a method of a generated client. For a server, [NewServer] makes interceptors of a [ServerPolicy],
// which turn away calls before the server is overloaded. [Code] is the gRPC code of an error, and [FromStatus] gives an
// error of gRPC a code of package fault.
package grpcx
