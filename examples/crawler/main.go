// Crawler reads a site page by page and reports which of its links lead nowhere. It limits how many pages it reads at
// once and how many requests it makes per second. A page that fails is tried again after a pause, unless the server answers with a
// status from 300 to 499.
//
//	go run ./examples/crawler
//
// starts a small site on loopback and reads that;
//
//	go run ./examples/crawler http://localhost:8080/
//
// reads another one. It shows retries, a throttle, a limit, and tasks that add tasks, in one plan: read plan.go first. Ctrl-C ends
// it. The exit status is 0, or 1 if Ctrl-C has ended the crawl or the arguments are invalid.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/signal"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
)

var polite = manners{atOnce: 4, rate: 50, limit: time.Second, tries: 3, depth: 10}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := crawl(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "crawler:", err)
		os.Exit(1)
	}
}

func crawl(ctx context.Context, args []string, out io.Writer) error {
	switch len(args) {
	case 0:
		server := httptest.NewServer(newPages())
		defer server.Close()
		args = []string{server.URL + "/"}
	case 1:
	default:
		return fmt.Errorf("unexpected argument %q", args[1])
	}
	from, err := url.Parse(args[0])
	if err != nil {
		return err
	}
	if from.Scheme != "http" && from.Scheme != "https" || from.Host == "" {
		return fmt.Errorf("%q: a site is a URL like http://localhost:8080/", args[0])
	}
	return tell(ctx, out, newPlan(polite, site{http.DefaultClient}), args[0])
}

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
