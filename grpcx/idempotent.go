package grpcx

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Idempotent reports whether a method, given as "/package.Service/Method", has the same effect if it is called several
// times, because its .proto file says so:
//
//	rpc Quote(Item) returns (Price) { option idempotency_level = NO_SIDE_EFFECTS; }
//
// NO_SIDE_EFFECTS and IDEMPOTENT count. A method whose file isn't linked into the program isn't idempotent. Any goroutine
// may call it.
func Idempotent(method string) bool {
	name := strings.ReplaceAll(strings.TrimPrefix(method, "/"), "/", ".")
	d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return false
	}
	options, ok := d.Options().(*descriptorpb.MethodOptions)
	return ok && options.GetIdempotencyLevel() != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN
}
