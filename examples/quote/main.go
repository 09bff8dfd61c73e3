// Quote serves prices that it gets from two sources: it asks the second one when the first takes too long or fails,
// and leaves a source that keeps failing alone for a while.
//
//	go run ./examples/quote
//
// starts the sources and the service on loopback and makes some requests, while the first source is well, then slow, then down.
// For each request it prints the answer, and how often each source was asked.
//
// It shows flow.Hedge and syncx.Breaker in one plan: read plan.go first.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func main() {
	if err := show(os.Stdout, times{hedge: 50 * time.Millisecond, limit: time.Second, pause: time.Minute}); err != nil {
		fmt.Fprintln(os.Stderr, "quote:", err)
		os.Exit(1)
	}
}

// handler answers GET /quote?item=tea by runs of plan.
func handler(plan step.Step[string, Quote]) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /quote", func(w http.ResponseWriter, r *http.Request) {
		q, err := flow.Run(r.Context(), plan, r.FormValue("item"))
		switch {
		case errors.Is(err, unknown):
			http.Error(w, err.Error(), http.StatusNotFound)
		case err != nil:
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		default:
			_ = json.NewEncoder(w).Encode(q) // nothing to do if the client has gone
		}
	})
	return mux
}

func show(out io.Writer, t times) error {
	here, there := &shop{price: 2}, &shop{price: 3}
	a, b := httptest.NewServer(here), httptest.NewServer(there)
	defer a.Close()
	defer b.Close()
	plan := newPlan(t, new(prices), source{"here", a.Client(), a.URL}, source{"there", b.Client(), b.URL})
	if err := plan.Err(); err != nil {
		return err
	}
	service := httptest.NewServer(handler(plan))
	defer service.Close()
	for _, now := range []struct {
		mood  mood
		item  string
		times int
	}{{well, "tea", 1}, {well, "coal", 1}, {slow, "tea", 1}, {down, "tea", 5}} {
		here.set(now.mood)
		for range now.times {
			text, err := get(service, "/quote?item="+now.item)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%-4s %s (asked %d and %d times)\n", now.mood, strings.TrimSpace(text), here.times(), there.times())
		}
	}
	return nil
}

func get(s *httptest.Server, target string) (string, error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.URL+target, http.NoBody)
	if err != nil {
		return "", err
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }() // the body has been read
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}
