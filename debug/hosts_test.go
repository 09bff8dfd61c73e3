package debug_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/futoin-go/asyncsteps/debug"
)

// A page of another site may have its own name resolve to the address of the console. Its requests have that name.
func TestHosts(t *testing.T) {
	hosts := []string{"console.example.com", ".Internal.example"}
	for _, c := range []struct {
		host    string
		allowed bool
	}{
		{"localhost", true},
		{"localhost:6060", true},
		{"LocalHost.:6060", true},
		{"shop.localhost:6060", true},
		{"127.0.0.1:6060", true},
		{"[::1]:6060", true},
		{"[::1]", true},
		{"10.1.2.3:6060", true}, // an address isn't a name that could resolve to another one
		{"console.example.com", true},
		{"Console.Example.Com.:443", true},
		{"a.internal.example", true},
		{"internal.example", false},
		{"xinternal.example", false},
		{"evil.example", false},
		{"evil.example:6060", false},
		{"localhost.evil.example", false},
		{"127.0.0.1.evil.example", false},
		{"console.example.com.evil.example", false},
		{"notlocalhost", false},
		{"", false},
		{":6060", false},
		{"[localhost", true}, // malformed, and no other name
		{"evil.example:", false},
		{"2130706433", false},
	} {
		h := newHarness(t, debug.Options{Control: true, Hosts: hosts})
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			request := httptest.NewRequestWithContext(t.Context(), method, map[string]string{http.MethodGet: "/index", http.MethodPost: "/cancel?id=18446744073709551615"}[method], nil)
			request.Host = c.host
			request.Header.Set("Sec-Fetch-Site", "same-origin")
			request.Header.Set("X-Forwarded-Host", "localhost")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, request)
			want := http.StatusMisdirectedRequest
			if c.allowed {
				want = map[string]int{http.MethodGet: http.StatusOK, http.MethodPost: http.StatusNotFound}[method]
			}
			if w.Code != want {
				t.Errorf("%s for %q: %d, want %d", method, c.host, w.Code, want)
			}
		}
	}
	h := newHarness(t, debug.Options{Hosts: []string{"*"}})
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	request.Host = "anything.example"
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, request); w.Code != http.StatusOK {
		t.Error(fmt.Sprint(w.Code, " for *"))
	}
}
