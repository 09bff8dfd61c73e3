package debug_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/syncx"
)

// submit sends a form as a browser does from a page of the site.
func (h *harness) submit(page, limit string) *httptest.ResponseRecorder {
	h.Helper()
	request := httptest.NewRequestWithContext(h.Context(), http.MethodPost, "http://example.com/debug/asyncsteps/"+page,
		strings.NewReader(url.Values{"limit": {limit}}.Encode()))
	request.Header = sameOrigin.Clone()
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request)
	return w
}

func TestGuardByHand(t *testing.T) {
	h := newHarness(t, debug.Options{Control: true})
	breaker := syncx.NewBreaker(syncx.BreakerPolicy{Name: "bank"})
	door := syncx.NewMutex(2, 7)
	h.Guard("bank", breaker)
	h.Guard("door", door)
	h.Guard("rate", syncx.NewThrottle(1, 1000, 0))
	h.Guard("bad", syncx.NewMutex(0, 0))
	html := h.html("guards")
	for action, want := range map[string]bool{
		"guard?number=1&amp;do=open": true, "guard?number=1&amp;do=close": true, "guard?number=1&amp;do=limit": false,
		"guard?number=2&amp;do=open": false, "guard?number=2&amp;do=limit": true,
		"guard?number=3": false, "guard?number=4": false,
	} {
		if got := strings.Contains(html, `<form method="post" action="`+action); got != want {
			t.Errorf("the form %s is there: %t", action, got)
		}
	}
	if !strings.Contains(html, "<p>closed, 0 inside") {
		t.Error("no state of the breaker")
	}
	for _, tt := range []struct {
		page, limit string
		status      int
	}{
		{"guard?number=1&do=open", "", http.StatusSeeOther},
		{"guard?number=2&do=limit", "5", http.StatusSeeOther},
		{"guard?number=2&do=limit", "0", http.StatusBadRequest},
		{"guard?number=2&do=limit", "many", http.StatusBadRequest},
		{"guard?number=2&do=limit", strings.Repeat("1", 10_000), http.StatusBadRequest},
		{"guard?number=2&do=open", "", http.StatusBadRequest},
		{"guard?number=1&do=limit", "5", http.StatusBadRequest},
		{"guard?number=1&do=burn", "", http.StatusBadRequest},
		{"guard?number=3&do=limit", "5", http.StatusBadRequest},
		{"guard?number=4&do=limit", "5", http.StatusBadRequest},
		{"guard?number=9&do=open", "", http.StatusNotFound},
		{"guard", "", http.StatusNotFound},
	} {
		if w := h.submit(tt.page, tt.limit); w.Code != tt.status {
			t.Errorf("%s %.10s: %d, want %d", tt.page, tt.limit, w.Code, tt.status)
		}
	}
	if breaker.State() != syncx.Open || door.Capacity() != 5 {
		t.Error(breaker.State(), door.Capacity())
	}
	if html := h.html("guards"); !strings.Contains(html, "<p>open, 0 inside") || !strings.Contains(html, "0 inside of 5") {
		t.Error("the page shows something else")
	}
	if w := h.submit("guard?number=1&do=close", ""); w.Header().Get("Location") != "/debug/asyncsteps/guards#g1" || breaker.State() != syncx.Closed {
		t.Error(w.Header(), breaker.State())
	}
}

func TestGuardNotByHand(t *testing.T) {
	const page = "guard?number=1&do=open"
	h := newHarness(t, debug.Options{Control: true})
	breaker := syncx.NewBreaker(syncx.BreakerPolicy{})
	h.Guard("bank", breaker)
	h.refuses(page)
	shown := newHarness(t, debug.Options{})
	shown.Guard("bank", breaker)
	shown.onlyShows("guards", page)
	if breaker.State() != syncx.Closed {
		t.Error("the breaker is", breaker.State())
	}
}
