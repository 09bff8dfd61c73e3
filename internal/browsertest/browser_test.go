package browsertest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/browsertest"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// The functions that drive the browser wait until their condition is true, even while pages are loaded in parts and replace
// each other.
func TestBrowser(t *testing.T) {
	b := browsertest.New(t)
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

	for want := 1; want <= 6; want++ { // the same address six times: an old page must not be taken for the new one
		if want%2 == 1 {
			b.Open(server.URL + "/count")
		} else {
			b.Follow("location.reload()")
		}
		if got := b.Eval("document.title"); got != fmt.Sprint(want) {
			t.Errorf("page %d has the title %s", want, got)
		}
	}
	b.Open(server.URL + "/leads")
	b.Until(`document.querySelector("main").innerText === "the rest"`)
}
