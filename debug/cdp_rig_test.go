package debug_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// The functions that drive the browser wait until their condition is true, also while pages are loaded in parts and
// replace each other.
func TestRigInBrowser(t *testing.T) {
	b := newBrowser(t)
	var served atomic.Int64
	asked := make(chan struct{}, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("/count", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `<!DOCTYPE html><title>%d</title>`, served.Add(1))
	})
	mux.HandleFunc("/leads", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!DOCTYPE html><title>leads</title><script>setTimeout(() => location = "/pieces", 200)</script>`)
	})
	mux.HandleFunc("/pieces", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<!DOCTYPE html><title>pieces</title><body><script>setTimeout(() => fetch("/rest"), 200)</script><p>the first piece`)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-asked:
		case <-r.Context().Done():
		}
		fmt.Fprint(w, `<main>the rest</main>`)
	})
	mux.HandleFunc("/rest", func(http.ResponseWriter, *http.Request) { asked <- struct{}{} })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	for want := 1; want <= 6; want++ { // with the same address six times: the former page must not be taken for the new one
		if want%2 == 1 {
			b.open(server.URL + "/count")
		} else {
			b.follow("location.reload()")
		}
		if got := b.eval("document.title"); got != fmt.Sprint(want) {
			t.Errorf("page %d has the title %s", want, got)
		}
	}
	b.open(server.URL + "/leads")
	b.until(`document.querySelector("main").innerText === "the rest"`)
}
