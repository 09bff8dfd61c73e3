package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

func checkPage(t *testing.T, client *http.Client, want Page) {
	t.Helper()
	status, body := get(t, client, "http://gateway/products/KB-1001?quantity=2")
	var got Page
	if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s: %v", status, body, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
}

func get(t *testing.T, client *http.Client, url string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, strings.TrimSpace(string(all))
}

// P3: an error without a fallback cancels the other branches.
func TestUnknownProductEndsOtherCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		asked, left := make(chan string, 2), make(chan string, 2)
		client := virtual(t, map[string]http.Handler{
			"price": http.NotFoundHandler(), "stock": hang(asked, left, "stock"), "reviews": hang(asked, left, "reviews"),
		}, wide(time.Hour))
		status, body := get(t, client, "http://gateway/products/KB-1001")
		if want := `{"error":{"code":"NotFound","info":"there is no product KB-1001"}}`; status != http.StatusNotFound || body != want {
			t.Errorf("got %d %s, want 404 %s", status, body, want)
		}
		if len(left) != len(asked) {
			t.Errorf("%d backends were asked, %d were left", len(asked), len(left))
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %v", took)
		}
	})
}

func TestRefusal(t *testing.T) {
	for _, tt := range []struct {
		reason string
		err    error
		status int
		body   string
	}{
		{"the client can change it", fault.New(fault.InvalidRequest, "no"), 400, `{"error":{"code":"InvalidRequest","info":"no"}}`},
		{"wrapped all the same", fmt.Errorf("x: %w", fault.New(notFound, "where?")), 404, `{"error":{"code":"NotFound","info":"where?"}}`},
		{"a defect is not explained", errors.New("secret"), 500, `{"error":{"code":"InternalError"}}`},
		{"no room", fault.New(fault.DefenseRejected, "full"), 429, `{"error":{"code":"DefenseRejected","info":"full"}}`},
		{"too late", fault.New(fault.Timeout, "secret"), 504, `{"error":{"code":"Timeout"}}`},
		{"not now", fmt.Errorf("start: %w", tool.ErrShutdown), 503, `{"error":{"code":"InternalError"}}`},
	} {
		if status, body := refusal(tt.err); status != tt.status || string(body) != tt.body {
			t.Errorf("%s: got %d %s, want %d %s", tt.reason, status, body, tt.status, tt.body)
		}
	}
}
