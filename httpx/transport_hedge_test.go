package httpx_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
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

func TestTransportHedgesFail(t *testing.T) {
	s, bodies := server(t, 503)
	transport := httpx.NewTransport(nil, httpx.Policy{Hedge: time.Hour, Hedges: 2, Retry: retry.Policy{Tries: 2}})
	a, err := (&http.Client{Transport: transport}).Do(get(t, s.URL))
	if err != nil {
		t.Fatal(err)
	}
	if text := read(t, a); a.StatusCode != 503 || !strings.HasPrefix(text, "answer ") || len(bodies()) != 6 {
		t.Errorf("%d %q after %d requests", a.StatusCode, text, len(bodies()))
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
