package grpcx

import (
	"reflect"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/protobuf/proto"
)

// said holds the header, the trailer and the peer of one attempt. Attempts may overlap, so each has its own said. The
// one of the attempt that counts is copied to the caller's variables.
type said struct {
	header, trailer metadata.MD
	peer            peer.Peer
}

// options returns the options asked for, with those that set variables of the caller replaced by ones that set s.
func (s *said) options(asked []grpc.CallOption) []grpc.CallOption {
	opts := make([]grpc.CallOption, 0, len(asked)+3)
	for _, o := range asked {
		switch o.(type) {
		case grpc.HeaderCallOption, grpc.TrailerCallOption, grpc.PeerCallOption:
		default:
			opts = append(opts, o)
		}
	}
	return append(opts, grpc.Header(&s.header), grpc.Trailer(&s.trailer), grpc.Peer(&s.peer))
}

// deliver copies s to the variables of the caller's options. s may be nil.
func (s *said) deliver(asked []grpc.CallOption) {
	if s == nil {
		return
	}
	for _, o := range asked {
		switch o := o.(type) {
		case grpc.HeaderCallOption:
			*o.HeaderAddr = s.header
		case grpc.TrailerCallOption:
			*o.TrailerAddr = s.trailer
		case grpc.PeerCallOption:
			*o.PeerAddr = s.peer
		}
	}
}

// another returns a new message of the type of m, for an attempt that may overlap with others. It returns m if it can't
// make one.
func another(m any) any {
	if p, ok := m.(proto.Message); ok {
		return p.ProtoReflect().New().Interface()
	}
	if t := reflect.TypeOf(m); t != nil && t.Kind() == reflect.Pointer {
		return reflect.New(t.Elem()).Interface()
	}
	return m
}

// assign copies a message to another one of the same type.
func assign(to, from any) {
	if to == from {
		return
	}
	if p, ok := to.(proto.Message); ok {
		proto.Reset(p)
		proto.Merge(p, from.(proto.Message))
		return
	}
	reflect.ValueOf(to).Elem().Set(reflect.ValueOf(from).Elem())
}
