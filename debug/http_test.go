package debug_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/internal/plantest"
)

func TestForm(t *testing.T) {
	h := newHarness(t, debug.Options{})
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
		{"jobs", "", false},
		{"jobs.json", "", true},
	} {
		w := h.request(http.MethodGet, c.page, http.Header{"Accept": {c.accept}})
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
	h := newHarness(t, debug.Options{})
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
		w := h.request(c.method, c.page, nil)
		if w.Code != c.status || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
			t.Errorf("%s %q: %d, want %d, %v", c.method, c.page, w.Code, c.status, w.Header())
		}
		if allow := w.Header().Get("Allow"); (allow == "GET, HEAD") != (c.status == http.StatusMethodNotAllowed) {
			t.Errorf("%s %q allows %q", c.method, c.page, allow)
		}
	}
}

func TestHeaders(t *testing.T) {
	h := newHarness(t, debug.Options{})
	for _, page := range []string{"", "guards", "loops.json", "nothing"} {
		head := h.request(http.MethodGet, page, nil).Header()
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
	h := newHarness(t, debug.Options{})
	get, head := h.request(http.MethodGet, "", nil), h.request(http.MethodHead, "", nil)
	if head.Code != http.StatusOK || head.Body.Len() != 0 || head.Header().Get("Content-Length") != get.Header().Get("Content-Length") {
		t.Errorf("%d, %d bytes, %v", head.Code, head.Body.Len(), head.Header())
	}
}

func TestHeadOfWhatIsNoPage(t *testing.T) {
	h := newHarness(t, debug.Options{})
	for _, page := range []string{"live?of=index", "plan.svg?id=1", "flight?id=1"} {
		if w := h.request(http.MethodHead, page, nil); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET" {
			t.Errorf("%s: %d, allows %q", page, w.Code, w.Header().Get("Allow"))
		}
	}
}

func TestMounted(t *testing.T) {
	h := newHarness(t, debug.Options{})
	mux := http.NewServeMux()
	mux.Handle("/debug/asyncsteps/", h)
	mux.Handle("/stripped/", http.StripPrefix("/stripped", h))
	for path, want := range map[string]int{
		"/debug/asyncsteps/": 200, "/debug/asyncsteps/guards": 200, "/stripped/": 200, "/stripped/loops.json": 200,
		"/debug/asyncsteps": http.StatusTemporaryRedirect, "/stripped/nothing": 404,
	} {
		if w := get(t, mux, path); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
}

// Browsers get errors as pages. A request from another site, for another host or with a long query gets a line.
func TestErrorPages(t *testing.T) {
	h := newHarness(t, debug.Options{Control: true})
	start(h, plantest.Delay("w", 1))
	browser := http.Header{"Accept": {"text/html,application/xhtml+xml,*/*;q=0.8"}}
	for page, status := range map[string]int{"nothing": 404, "run?id=99999999": 404, "index?page=0": 400, "run": 400, "plan.svg?id=99999999": 404} {
		w := h.request(http.MethodGet, page, browser)
		body := w.Body.String()
		if w.Code != status || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %d, %v", page, w.Code, w.Header())
		}
		for _, want := range []string{`<nav aria-label="Pages">`, "<h1>" + http.StatusText(status) + "</h1>", `<p class="status">1 live`, `<a href="index">All runs</a>`, `data-live=""`} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: %s isn't in %s", page, want, body)
			}
		}
		if strings.Contains(body, ">JSON<") {
			t.Errorf("%s has a link to JSON", page)
		}
	}
	foreign := browser.Clone()
	foreign.Set("Origin", "https://elsewhere.example")
	foreign.Set("Sec-Fetch-Site", "cross-site")
	for page, header := range map[string]http.Header{"cancel?id=1": foreign, "index?q=" + strings.Repeat("x", 3000): browser} {
		method := map[bool]string{true: http.MethodPost, false: http.MethodGet}[strings.HasPrefix(page, "cancel")]
		if w := h.request(method, page, header); !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") || w.Body.Len() > 200 {
			t.Errorf("%s: %d %s", page[:10], w.Code, w.Body)
		}
	}
	named := newHarness(t, debug.Options{Hosts: []string{"other.example"}})
	if w := named.request(http.MethodGet, "index", browser); w.Code != http.StatusMisdirectedRequest || w.Body.Len() > 200 {
		t.Errorf("under a foreign name: %d %s", w.Code, w.Body)
	}
}

func TestEmptyPages(t *testing.T) {
	h := newHarness(t, debug.Options{})
	for page, want := range map[string]string{
		"index": "observe.With", "plans": "observe.With", "steps": "No step of a listed run has begun", "guards": "console.Guard", "loops": "console.Loop",
		"jobs": "console.Jobs",
	} {
		if body := h.html(page); !strings.Contains(body, want) {
			t.Errorf("%s isn't on the page of %s", want, page)
		}
	}
	start(h, plantest.Named("f", nil))
	if body := h.html("index"); strings.Contains(body, "observe.With") {
		t.Error("the page asks for observe.With although a run was observed")
	}
}
