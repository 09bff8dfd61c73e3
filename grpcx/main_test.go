package grpcx_test

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/futoin-go/asyncsteps/grpcx"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
)

func TestMain(m *testing.M) {
	describe()
	leaktest.Main(m)
}

type (
	text   = wrapperspb.StringValue
	number = wrapperspb.Int64Value
)

const (
	quoteMethod = "/test.Shop/Quote" // text to text
	buyMethod   = "/test.Shop/Buy"   // text to text
	watchMethod = "/test.Shop/Watch" // text to a stream of numbers
	chatMethod  = "/test.Shop/Chat"  // both ways
	sumMethod   = "/test.Shop/Sum"   // a stream of numbers to a number
)

// describe registers a file with a service test.Shop, whose Quote and Watch have no side effects.
func describe() {
	harmless := &descriptorpb.MethodOptions{IdempotencyLevel: descriptorpb.MethodOptions_NO_SIDE_EFFECTS.Enum()}
	method := func(name string, options *descriptorpb.MethodOptions) *descriptorpb.MethodDescriptorProto {
		return &descriptorpb.MethodDescriptorProto{
			Name: new(name), InputType: new(".google.protobuf.StringValue"), OutputType: new(".google.protobuf.StringValue"), Options: options,
		}
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: new("shop.proto"), Package: new("test"), Syntax: new("proto3"), Dependency: []string{"google/protobuf/wrappers.proto"},
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: new("Shop"), Method: []*descriptorpb.MethodDescriptorProto{
			method("Quote", harmless), method("Watch", harmless), method("Buy", nil),
		}}},
	}, protoregistry.GlobalFiles)
	if err == nil {
		err = protoregistry.GlobalFiles.RegisterFile(file)
	}
	if err != nil {
		panic(err)
	}
}

// shop is the server side; n counts the calls from 1.
type shop struct {
	calls atomic.Int64
	unary func(ctx context.Context, n int64, in string) (string, error)
	watch func(n int64, in string, out grpc.ServerStream) error
	chat  func(stream grpc.ServerStream) error
}

func (s *shop) desc() *grpc.ServiceDesc {
	unary := func(name string) grpc.MethodDesc {
		return grpc.MethodDesc{MethodName: name, Handler: func(_ any, ctx context.Context, decode func(any) error, wrap grpc.UnaryServerInterceptor) (any, error) {
			in := &text{}
			if err := decode(in); err != nil {
				return nil, err
			}
			handle := func(ctx context.Context, in any) (any, error) {
				out, err := s.unary(ctx, s.calls.Add(1), in.(*text).GetValue())
				return wrapperspb.String(out), err
			}
			if wrap == nil {
				return handle(ctx, in)
			}
			return wrap(ctx, in, &grpc.UnaryServerInfo{Server: s, FullMethod: "/test.Shop/" + name}, handle)
		}}
	}
	return &grpc.ServiceDesc{ServiceName: "test.Shop", HandlerType: (*any)(nil), Methods: []grpc.MethodDesc{unary("Quote"), unary("Buy")}, Streams: []grpc.StreamDesc{
		{StreamName: "Watch", ServerStreams: true, Handler: func(_ any, stream grpc.ServerStream) error {
			in := &text{}
			if err := stream.RecvMsg(in); err != nil {
				return err
			}
			return s.watch(s.calls.Add(1), in.GetValue(), stream)
		}},
		{StreamName: "Chat", ServerStreams: true, ClientStreams: true, Handler: func(_ any, stream grpc.ServerStream) error {
			s.calls.Add(1)
			return s.chat(stream)
		}},
		{StreamName: "Sum", ClientStreams: true, Handler: func(_ any, stream grpc.ServerStream) error {
			s.calls.Add(1)
			return sum(stream)
		}},
	}}
}

func sum(stream grpc.ServerStream) error {
	var all int64
	for {
		in := &number{}
		err := stream.RecvMsg(in)
		if errors.Is(err, io.EOF) {
			return stream.SendMsg(wrapperspb.Int64(all))
		}
		if err != nil {
			return err
		}
		all += in.GetValue()
	}
}

func serve(t *testing.T, s *shop, options ...grpc.ServerOption) (*grpc.Server, string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(options...)
	server.RegisterService(s.desc(), s)
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return server, l.Addr().String()
}

func dial(t *testing.T, addr string, c *grpcx.Client) *grpc.ClientConn {
	t.Helper()
	options := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	if c != nil {
		if err := c.Err(); err != nil {
			t.Fatal(err)
		}
		options = append(options, c.DialOptions()...)
	}
	conn, err := grpc.NewClient(addr, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func ask(ctx context.Context, conn *grpc.ClientConn, method, in string, opts ...grpc.CallOption) (string, error) {
	out := &text{}
	err := conn.Invoke(ctx, method, wrapperspb.String(in), out, opts...)
	return out.GetValue(), err
}

func watch(ctx context.Context, t *testing.T, conn *grpc.ClientConn, opts ...grpc.CallOption) grpc.ClientStream {
	t.Helper()
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{StreamName: "Watch", ServerStreams: true}, watchMethod, opts...)
	if err == nil {
		err = stream.SendMsg(wrapperspb.String("in"))
	}
	if err == nil {
		err = stream.CloseSend()
	}
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

func chat(ctx context.Context, conn *grpc.ClientConn, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	return conn.NewStream(ctx, &grpc.StreamDesc{StreamName: "Chat", ServerStreams: true, ClientStreams: true}, chatMethod, opts...)
}

func received(stream grpc.ClientStream) (all []int64, err error) {
	for {
		in := &number{}
		if err := stream.RecvMsg(in); err != nil {
			return all, err
		}
		all = append(all, in.GetValue())
	}
}

func until(reached func() bool) {
	for !reached() {
		runtime.Gosched()
	}
}
