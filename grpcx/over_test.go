package grpcx

import (
	"context"
	"testing"
	"time"
)

// slow is a context whose deadline has passed and whose timer fires only when Done is called.
type slow struct {
	context.Context

	cancel context.CancelFunc
}

func (s slow) Deadline() (time.Time, bool) { return time.Unix(1, 0), true }

func (s slow) Done() <-chan struct{} {
	s.cancel()
	return s.Context.Done()
}

// A context whose deadline has passed is over also before its timer has fired: the server's DeadlineExceeded may come first.
func TestOver(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if over(ctx) {
		t.Error("a context without a deadline is over")
	}
	if !over(slow{ctx, cancel}) {
		t.Error("a context whose deadline has passed isn't over")
	}
}
