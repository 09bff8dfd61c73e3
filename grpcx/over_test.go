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

// The server's DeadlineExceeded may come before the timer of the same deadline: it isn't the server's fault all the same.
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
