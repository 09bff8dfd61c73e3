// Crawler reads a site page by page and reports which of its links lead nowhere. It limits how many pages it reads at
// once and how many requests it makes per second, and tries a page that fails again after a pause.
//
//	go run ./examples/crawler
//
// starts a small site on loopback and reads that;
//
//	go run ./examples/crawler http://localhost:8080/
//
// reads another one. It shows retries, a throttle, a limit, and tasks that add tasks, in
// one plan: read plan.go first. Ctrl-C ends it.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
)

var polite = manners{atOnce: 4, rate: 50, limit: time.Second, tries: 3, depth: 10}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	server := httptest.NewServer(newPages())
	defer server.Close()
	from := server.URL + "/"
	if len(os.Args) > 1 {
		from = os.Args[1]
	}
	if err := tell(ctx, os.Stdout, newPlan(polite, site{http.DefaultClient}), from); err != nil {
		fmt.Fprintln(os.Stderr, "crawler:", err)
	}
}

// tell prints what a crawl has found.
func tell(ctx context.Context, out io.Writer, plan flow.Plan[string, []page], from string) error {
	pages, err := flow.Run(ctx, plan, from)
	for _, p := range pages {
		if p.err != nil {
			fmt.Fprintf(out, "%s: %v\n", p.url, p.err)
		} else {
			fmt.Fprintf(out, "%s: %d links\n", p.url, len(p.links))
		}
	}
	return err
}
