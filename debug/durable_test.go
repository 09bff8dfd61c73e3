package debug_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
)

// What engines say is escaped and cut off.
func TestDurable(t *testing.T) {
	h := debug.New(debug.Options{})
	defer h.Close()
	get := func(path string) (int, string) {
		t.Helper()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/"+path, http.NoBody))
		return w.Code, w.Body.String()
	}
	if _, body := get("index"); strings.Contains(body, `href="durable"`) {
		t.Error("there is a link to no engine")
	}
	run := debug.DurableRun{ID: "order-<17>", Workflow: "orders", State: "stands still", Why: strings.Repeat("x", 2000), Began: time.Unix(0, 0)}
	var asked []string
	h.Durable("shop", debug.Durable{
		Runs: func(_ context.Context, contains, state string, _ int) ([]debug.DurableRun, error) {
			asked = append(asked, contains+"/"+state)
			return []debug.DurableRun{run}, nil
		},
		History: func(_ context.Context, id string) (debug.DurableRun, []debug.DurableEvent, error) {
			if id != run.ID {
				return debug.DurableRun{}, nil, errors.New("no " + id)
			}
			return run, []debug.DurableEvent{{Kind: "started"}, {At: time.Unix(1, 0), Kind: "completed", Name: "/0#1", Data: `"<paid>"`}}, nil
		},
	})
	for path, want := range map[string]string{
		"index":                            `href="durable"`,
		"durable":                          "durable-run?engine=shop&amp;id=order-%3C17%3E",
		"durable?q=order&state=failed":     "order-&lt;17&gt;",
		"durable?state=lives":              "1970-01-01 00:00:00",
		"durable.json":                     `"workflow":"orders"`,
		"durable-run?engine=bar":           "no such engine",
		"durable-run?engine=shop&id=other": "the engine has no such run: no other",

		"durable-run?engine=shop&id=order-%3C17%3E": "&lt;paid&gt;",

		"durable-run?id=order-%3C17%3E&engine=shop":             `<td data-of="Of"></td>`, // left out in a narrow window
		"durable-run?engine=shop&id=order-%3C17%3E&format=json": `"kind":"completed"`,
	} {
		code, body := get(path)
		if !strings.Contains(body, want) {
			t.Errorf("%s: %d without %s:\n%s", path, code, want, body)
		}
		if strings.Contains(body, strings.Repeat("x", 1000)) {
			t.Errorf("%s: a long text isn't cut", path)
		}
	}
	if got := strings.Join(asked, " "); !strings.Contains(got, "order/failed") {
		t.Errorf("asked for %s", got)
	}
	h.Durable("shop", debug.Durable{})
	if _, body := get("durable"); !strings.Contains(body, "No engine") {
		t.Error("the engine is still there")
	}
}

// A live update doesn't wait for an engine that doesn't answer.
func TestLiveUpdateOfADurableThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := debug.New(debug.Options{Hosts: hosts})
		defer h.Close()
		h.Durable("shop", debug.Durable{
			Runs: func(ctx context.Context, _, _ string, _ int) ([]debug.DurableRun, error) {
				<-ctx.Done()
				return nil, errors.New("too late")
			},
			History: func(context.Context, string) (debug.DurableRun, []debug.DurableEvent, error) {
				return debug.DurableRun{}, nil, nil
			},
		})
		begun := time.Now()
		c := connect(t, h, "durable")
		if page := c.next(); !strings.Contains(page, "no answer within 5s") {
			t.Errorf("got %s", page)
		}
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("the page took %v", took)
		}
		c.leave()
		<-c.left
	})
}

// An engine that doesn't heed its context holds a few goroutines, and not one for each page.
func TestDurableThatIgnoresItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := debug.New(debug.Options{Hosts: hosts})
		defer h.Close()
		var calls atomic.Int32
		released := make(chan struct{})
		h.Durable("shop", debug.Durable{
			Runs: func(context.Context, string, string, int) ([]debug.DurableRun, error) {
				calls.Add(1)
				<-released
				return nil, nil
			},
			History: func(context.Context, string) (debug.DurableRun, []debug.DurableEvent, error) {
				return debug.DurableRun{}, nil, nil
			},
		})
		for i := range 20 {
			want := "no answer within 5s"
			if i >= 16 {
				want = "earlier calls haven"
			}
			if w := get(t, h, "/durable"); !strings.Contains(w.Body.String(), want) {
				t.Errorf("page %d doesn't say %s", i, want)
			}
		}
		if n := calls.Load(); n != 16 {
			t.Errorf("it was called %d times", n)
		}
		close(released)
	})
}
