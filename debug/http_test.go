package debug_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/debug"
)

func TestForm(t *testing.T) {
	r := newRig(t, debug.Options{})
	for _, c := range []struct {
		page, accept string
		json         bool
	}{
		{"", "", false},
		{"", "*/*", false},
		{"", "text/html,application/xhtml+xml,application/json;q=0.9", false},
		{"", "application/json", true},
		{"", "application/json, text/plain, */*", true},
		{"?format=json", "text/html", true},
		{"?format=html", "application/json", false},
		{"index", "", false},
		{"index.json", "text/html", true},
		{"index.json?format=html", "", false},
		{"guards", "", false},
		{"guards.json", "", true},
		{"loops", "", false},
		{"loops.json", "", true},
	} {
		w := r.ask(http.MethodGet, c.page, http.Header{"Accept": {c.accept}})
		want := "text/html; charset=utf-8"
		if c.json {
			want = "application/json"
		}
		if got := w.Header().Get("Content-Type"); w.Code != http.StatusOK || got != want || json.Valid(w.Body.Bytes()) != c.json {
			t.Errorf("%q for %q: %d, %s, want %s", c.page, c.accept, w.Code, got, want)
		}
	}
}

func TestRefusedRequests(t *testing.T) {
	r := newRig(t, debug.Options{})
	for _, c := range []struct {
		method, page string
		status       int
	}{
		{http.MethodPost, "", http.StatusMethodNotAllowed},
		{http.MethodPut, "guards", http.StatusMethodNotAllowed},
		{http.MethodDelete, "run?id=1", http.StatusMethodNotAllowed},
		{http.MethodOptions, "", http.StatusMethodNotAllowed},
		{http.MethodGet, "nothing", http.StatusNotFound},
		{http.MethodGet, ".json", http.StatusNotFound},
		{http.MethodGet, "index.json.json", http.StatusNotFound},
		{http.MethodGet, "?format=xml", http.StatusBadRequest},
		{http.MethodGet, "run", http.StatusBadRequest},
		{http.MethodGet, "run?id=x", http.StatusBadRequest},
		{http.MethodGet, "run?id=-1", http.StatusBadRequest},
		{http.MethodGet, "run?id=18446744073709551615", http.StatusNotFound},
		{http.MethodGet, "run?id=0", http.StatusNotFound},
	} {
		w := r.ask(c.method, c.page, nil)
		if w.Code != c.status || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
			t.Errorf("%s %q: %d, want %d, %v", c.method, c.page, w.Code, c.status, w.Header())
		}
		if allow := w.Header().Get("Allow"); (allow == "GET, HEAD") != (c.status == http.StatusMethodNotAllowed) {
			t.Errorf("%s %q allows %q", c.method, c.page, allow)
		}
	}
}

// The headers of each answer forbid the browser to do anything with it but show it.
func TestHeaders(t *testing.T) {
	r := newRig(t, debug.Options{})
	for _, page := range []string{"", "guards", "loops.json", "nothing"} {
		head := r.ask(http.MethodGet, page, nil).Header()
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; ",
			"X-Content-Type-Options":  "nosniff",
			"X-Frame-Options":         "DENY",
			"Referrer-Policy":         "same-origin",
			"Cache-Control":           "no-store",
			"Vary":                    "Accept",
		} {
			if !strings.HasPrefix(head.Get(name), want) {
				t.Errorf("%q: %s is %q", page, name, head.Get(name))
			}
		}
	}
}

func TestHead(t *testing.T) {
	r := newRig(t, debug.Options{})
	get, head := r.ask(http.MethodGet, "", nil), r.ask(http.MethodHead, "", nil)
	if head.Code != http.StatusOK || head.Body.Len() != 0 || head.Header().Get("Content-Length") != get.Header().Get("Content-Length") {
		t.Errorf("%d, %d bytes, %v", head.Code, head.Body.Len(), head.Header())
	}
}

// The last element of the path selects the page, wherever the Handler is mounted.
func TestMounted(t *testing.T) {
	r := newRig(t, debug.Options{})
	mux := http.NewServeMux()
	mux.Handle("/debug/asyncsteps/", r)
	mux.Handle("/stripped/", http.StripPrefix("/stripped", r))
	for path, want := range map[string]int{
		"/debug/asyncsteps/": 200, "/debug/asyncsteps/guards": 200, "/stripped/": 200, "/stripped/loops.json": 200,
		"/debug/asyncsteps": http.StatusTemporaryRedirect, "/stripped/nothing": 404,
	} {
		if w := get(t, mux, path); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
}
