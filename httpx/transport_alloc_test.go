package httpx_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/retry"
)

// still answers without a network.
type still struct{}

func (still) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("42")), Request: r}, nil
}

// A Transport allocates little besides what its base does.
func TestTransportAllocates(t *testing.T) {
	if racetest.Enabled {
		t.Skip("the race detector allocates")
	}
	allocs := func(ctx context.Context, transport http.RoundTripper) float64 {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://shop.example/", nil)
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(100, func() {
			answer, err := transport.RoundTrip(r)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
		})
	}
	through := httpx.NewTransport(still{}, httpx.Policy{Retry: retry.Policy{Tries: 3}})
	for name, c := range map[string]struct {
		ctx  context.Context
		most float64
	}{
		"background":   {context.Background(), 12},
		"can be ended": {t.Context(), 16},
	} {
		if base, got := allocs(c.ctx, still{}), allocs(c.ctx, through); got > base+c.most {
			t.Errorf("%s: %v allocations more than without the Transport, want at most %v", name, got-base, c.most)
		}
	}
}
