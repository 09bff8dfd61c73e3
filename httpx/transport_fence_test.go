package httpx_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/syncx"
)

// fenced is a guard with a fence, as that of a cluster: its sections have a context of their own.
type fenced struct{ *syncx.Mutex }

func (fenced) Lease(*syncx.Ticket, syncx.Lease) uint64 { return 7 }

// The context of an attempt, under which the body of its answer is read, outlives the section of the guard. It has the
// values of the section, and ends with the cause of the call's context.
func TestTransportThroughAFence(t *testing.T) {
	errCause := errors.New("enough")
	var seen context.Context
	base := tripper(func(r *http.Request) (*http.Response, error) {
		seen = r.Context()
		got, _ := answer(r, http.StatusOK, "x")
		return got, nil
	})
	guard := func(string) syncx.Guard { return fenced{syncx.NewMutex(1, 10)} }
	transport := httpx.NewTransport(base, httpx.Policy{PerHost: []func(string) syncx.Guard{guard}})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	got, err := transport.RoundTrip(get(t, "http://shop.example/").WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if seen.Err() != nil {
		t.Errorf("ended before the body was read: %v", context.Cause(seen))
	}
	if syncx.Fence(seen) != 7 || retry.Attempt(seen) != 1 {
		t.Errorf("fence %d, attempt %d", syncx.Fence(seen), retry.Attempt(seen))
	}
	cancel(errCause)
	if got := context.Cause(seen); !errors.Is(got, errCause) {
		t.Errorf("ended with %v", got)
	}
}
