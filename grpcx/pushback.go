package grpcx

import (
	"math"
	"strconv"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/futoin-go/asyncsteps/internal/primary"
	"github.com/futoin-go/asyncsteps/syncx"
)

// pushbackKey is the trailer by which a server says, in milliseconds, when to try again.
const pushbackKey = "grpc-retry-pushback-ms"

// Pushback returns how long to wait before another try, as the trailer grpc-retry-pushback-ms of an answer says. ok is false if
// there is no such trailer. A trailer that is below zero or malformed asks not to try again: d is below zero then. Any goroutine
// may call it.
func Pushback(trailer metadata.MD) (d time.Duration, ok bool) {
	values := trailer.Get(pushbackKey)
	if len(values) == 0 {
		return 0, false
	}
	ms, err := strconv.ParseUint(values[0], 10, 31)
	if err != nil || len(values) > 1 {
		return -1, true
	}
	return time.Duration(ms) * time.Millisecond, true
}

// pushback returns the trailer for a call that has failed without an error of its handler. It returns nil unless the code of err is
// Unavailable or ResourceExhausted.
func pushback(err error) metadata.MD {
	code := Code(err)
	if code != codes.Unavailable && code != codes.ResourceExhausted {
		return nil
	}
	after := time.Second
	if refused, ok := primary.As[*syncx.Refusal](err); ok {
		after = max(after, refused.After)
	}
	ms := min(int64((after-1)/time.Millisecond)+1, math.MaxInt32) // rounded up, because the breaker refuses calls that come before
	return metadata.Pairs(pushbackKey, strconv.FormatInt(ms, 10))
}
