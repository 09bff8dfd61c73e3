package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

// direct is an http.RoundTripper that calls the handler of the host without a network, so that a whole exchange can happen in
// the virtual time of synctest.
type direct map[string]http.Handler

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	served := make(chan error, 1)
	go func() {
		defer func() {
			if recover() != nil { // the handler has panicked with http.ErrAbortHandler
				served <- io.ErrUnexpectedEOF
			}
			close(served)
		}()
		d[r.URL.Host].ServeHTTP(w, r)
	}()
	select {
	case err := <-served:
		if err = cmp.Or(err, r.Context().Err()); err != nil {
			return nil, err
		}
		return w.Result(), nil
	case <-r.Context().Done():
		<-served // nothing of the handler must be left
		return nil, r.Context().Err()
	}
}

// virtual returns a client of a gateway at http://gateway with the given handlers as backends, in a synctest bubble.
func virtual(t *testing.T, backends map[string]http.Handler, l limits) *http.Client {
	t.Helper()
	at := make(map[string]*url.URL)
	for name := range backends {
		at[name] = &url.URL{Scheme: "http", Host: name}
	}
	plan := newPlan(newBackends(&http.Client{Transport: direct(backends)}, at), l.guards())
	if err := plan.Err(); err != nil {
		t.Fatal(err)
	}
	loops := tool.NewGroup(2, tool.Options{})
	t.Cleanup(func() {
		if err := loops.Shutdown(t.Context()); err != nil {
			t.Errorf("loops: %v", err)
		}
	})
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	return &http.Client{Transport: direct{"gateway": &gateway{plan: plan, loops: loops, log: log}}}
}

// In virtual time a limit passes only when all goroutines are blocked, so the result doesn't depend on the speed of the machine.
func TestReplayGivesExpectedAnswers(t *testing.T) {
	s, err := newShop(productData)
	if err != nil {
		t.Fatal(err)
	}
	exchanges, err := readExchanges("")
	if err != nil {
		t.Fatal(err)
	}
	if len(exchanges) < 300 {
		t.Errorf("only %d requests", len(exchanges))
	}
	synctest.Test(t, func(t *testing.T) {
		client := virtual(t, s.backends(), wide(3*time.Second))
		r := newReport(len(exchanges))
		for o := range send(t.Context(), client, "http://gateway", exchanges, 7) {
			r.add(o)
		}
		if !r.expected() {
			r.print(t.Output())
			t.Error("not as expected")
		}
		if n := r.timeouts(); n != 18 {
			t.Errorf("%d timeouts, want 18", n)
		}
		if got := r.latency(100); got != 3*time.Second {
			t.Errorf("the slowest answer took %v, want the limit", got)
		}
		if got := r.latency(50); got != 0 {
			t.Errorf("half of the answers took up to %v, want no time", got)
		}
	})
}

// hang returns a backend that sends its name to asked, waits until the client has gone, and sends its name to left.
func hang(asked, left chan<- string, name string) http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- name
		<-r.Context().Done()
		left <- name
	})
}

// C1, C7: when the client disconnects, the calls to the backends end.
func TestClientDisconnectCancelsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		asked, left := make(chan string, 3), make(chan string, 3)
		client := virtual(t, map[string]http.Handler{
			"price": hang(asked, left, "price"), "stock": hang(asked, left, "stock"), "reviews": hang(asked, left, "reviews"),
		}, wide(time.Hour))
		ctx, disconnect := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://gateway/products/KB-1001", http.NoBody)
			resp, err := client.Do(req)
			if err == nil {
				resp.Body.Close()
			}
			ended <- err
		}()
		for range 3 {
			<-asked
		}
		disconnect()
		if err := <-ended; err == nil {
			t.Error("the request succeeded")
		}
		for range 3 {
			<-left
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %v, not the moment of the disconnect", took)
		}
	})
}

// C3, P2: each branch has its own limit, and the limits run at the same time.
func TestEachPartHasItsOwnFallback(t *testing.T) {
	well := func(body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) })
	}
	stuck := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	good := map[string]http.Handler{
		"price": well(`{"unit":5}`), "stock": well(`{"left":3}`), "reviews": well(`{"stars":4,"latest":["Fine."]}`),
	}
	for _, tt := range []struct {
		stuck []string
		want  Page
	}{
		{nil, Page{Price: Price{Unit: 5, Total: 10}, Stock: Stock{Left: 3}, Reviews: Reviews{4, []string{"Fine."}}}},
		{[]string{"price"}, Page{Price: Price{OnRequest: true}, Stock: Stock{Left: 3}, Reviews: Reviews{4, []string{"Fine."}}}},
		{[]string{"stock"}, Page{Price: Price{Unit: 5, Total: 10}, Stock: Stock{Unknown: true}, Reviews: Reviews{4, []string{"Fine."}}}},
		{[]string{"reviews"}, Page{Price: Price{Unit: 5, Total: 10}, Stock: Stock{Left: 3}, Reviews: Reviews{Latest: []string{}}}},
		{[]string{"price", "stock", "reviews"}, Page{Price: Price{OnRequest: true}, Stock: Stock{Unknown: true}, Reviews: Reviews{Latest: []string{}}}},
	} {
		t.Run(fmt.Sprint(tt.stuck), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				backends := maps.Clone(good)
				tt.want.SKU, tt.want.Currency, tt.want.Quantity = "KB-1001", "EUR", 2
				for _, name := range tt.stuck {
					backends[name] = stuck
					tt.want.missed(name, fault.Timeout)
				}
				client := virtual(t, backends, wide(time.Second))
				checkPage(t, client, tt.want)
				if took := time.Since(began); len(tt.stuck) > 0 && took != time.Second {
					t.Errorf("it took %v, want one limit", took)
				}
			})
		})
	}
}
