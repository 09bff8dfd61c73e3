package handlertest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/internal/handlertest"
)

func TestClient(t *testing.T) {
	client := handlertest.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		_, _ = fmt.Fprint(w, r.Method, " ", r.URL)
	}))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://nowhere/tea?cups=2", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusTeapot || string(text) != "POST http://nowhere/tea?cups=2" || err != nil {
		t.Errorf("got %s, %q, %v", answer.Status, text, err)
	}
}

// A request to a slow handler ends with its context, in virtual time.
func TestClientWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := handlertest.Client(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://nowhere", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(r)
		if err == nil {
			_ = answer.Body.Close()
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}
