package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/retry"
)

func TestTransportHedges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int32
		cancelled := make(chan error, 1)
		base := tripper(func(r *http.Request) (*http.Response, error) {
			if begun.Add(1) == 1 {
				<-r.Context().Done()
				cancelled <- context.Cause(r.Context())
				return nil, r.Context().Err()
			}
			a, _ := answer(r, 200, "second")
			return a, nil
		})
		start := time.Now()
		a, err := httpx.NewTransport(base, httpx.Policy{Hedge: 50 * ms}).RoundTrip(get(t, "http://shop/"))
		if err != nil {
			t.Fatal(err)
		}
		if text := read(t, a); text != "second" || time.Since(start) != 50*ms {
			t.Errorf("%q after %v", text, time.Since(start))
		}
		if err := <-cancelled; err == nil {
			t.Error("the loser wasn't cancelled")
		}
	})
}

func TestTransportHedgesAnswerBoth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int32
		var lost *bool
		base := tripper(func(r *http.Request) (*http.Response, error) {
			n := begun.Add(1)
			a, closed := answer(r, 200, fmt.Sprint(n))
			if n == 1 {
				lost = closed
				<-r.Context().Done() // and answers all the same
			}
			return a, nil
		})
		a, err := httpx.NewTransport(base, httpx.Policy{Hedge: 50 * ms}).RoundTrip(get(t, "http://shop/"))
		if err != nil {
			t.Fatal(err)
		}
		if text := read(t, a); text != "2" || !*lost {
			t.Errorf("%q; the other body is closed: %v", text, *lost)
		}
	})
}

// A hedge is for slowness: after a failure Retry pauses, and no other attempt begins before.
func TestTransportHedgesOnlySlowness(t *testing.T) {
	type said struct {
		after  time.Duration
		status int // 0: an error without an answer
		wait   string
	}
	for _, tt := range []struct {
		reason string
		says   []said
		begun  []time.Duration
		status int
		took   time.Duration
	}{
		{"a failure begins no other", []said{{1 * ms, 503, ""}, {1 * ms, 200, ""}}, []time.Duration{0, 201 * ms}, 200, 202 * ms},
		{"nor does one without an answer", []said{{1 * ms, 0, ""}, {1 * ms, 200, ""}}, []time.Duration{0, 201 * ms}, 200, 202 * ms},
		{"Retry-After is honoured", []said{{1 * ms, 429, "1"}, {1 * ms, 200, ""}}, []time.Duration{0, 1001 * ms}, 200, 1002 * ms},
		{"the slow one may still win", []said{{180 * ms, 200, ""}, {1 * ms, 429, "1"}}, []time.Duration{0, 50 * ms}, 200, 180 * ms},
		{"so may the other one", []said{{60 * ms, 429, "1"}, {70 * ms, 200, ""}}, []time.Duration{0, 50 * ms}, 200, 120 * ms},
		{"all that have begun fail", []said{{60 * ms, 503, ""}, {70 * ms, 503, ""}, {1 * ms, 200, ""}}, []time.Duration{0, 50 * ms, 320 * ms}, 200, 321 * ms},
		{"all tries fail", []said{{1 * ms, 503, ""}, {1 * ms, 500, ""}}, []time.Duration{0, 201 * ms}, 500, 202 * ms},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var begun []time.Duration
				start := time.Now()
				base := tripper(func(r *http.Request) (*http.Response, error) {
					mu.Lock()
					n := len(begun)
					begun = append(begun, time.Since(start))
					mu.Unlock()
					if n >= len(tt.says) {
						return nil, errors.New("one request too many")
					}
					select {
					case <-time.After(tt.says[n].after):
					case <-r.Context().Done():
						return nil, r.Context().Err()
					}
					if tt.says[n].status == 0 {
						return nil, errors.New("connection reset")
					}
					a, _ := answer(r, tt.says[n].status, "")
					if tt.says[n].wait != "" {
						a.Header.Set("Retry-After", tt.says[n].wait)
					}
					return a, nil
				})
				transport := httpx.NewTransport(base, httpx.Policy{
					Hedge: 50 * ms, Hedges: 3, Retry: retry.Policy{Tries: 2, Pause: 200 * ms},
				})
				a, err := transport.RoundTrip(get(t, "http://shop/"))
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); a.StatusCode != tt.status || took != tt.took || !slices.Equal(begun, tt.begun) {
					t.Errorf("%d after %v, requests at %v; want %d after %v, %v", a.StatusCode, took, begun, tt.status, tt.took, tt.begun)
				}
			})
		})
	}
}

func TestTransportHedgesOnlyWhatRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int32
		base := tripper(func(r *http.Request) (*http.Response, error) {
			begun.Add(1)
			time.Sleep(time.Second)
			a, _ := answer(r, 200, "")
			return a, nil
		})
		r := get(t, "http://shop/")
		r.Method = http.MethodPost
		if _, err := httpx.NewTransport(base, httpx.Policy{Hedge: 50 * ms}).RoundTrip(r); err != nil || begun.Load() != 1 {
			t.Errorf("%d requests, %v", begun.Load(), err)
		}
	})
}
