package main

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/handlertest"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func over(h http.Handler) site { return site{handlertest.Client(h)} }

// Each page is read once, whatever links to it. A busy page is asked for again, a missing one isn't.
func TestCrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPages()
		var out strings.Builder
		if err := tell(t.Context(), &out, newPlan(polite, over(p)), "http://x/"); err != nil {
			t.Fatal(err)
		}
		want := "http://x/: 3 links\nhttp://x/a: 4 links\nhttp://x/b: 2 links\nhttp://x/busy: 2 links\n" +
			"http://x/gone: InvalidRequest: 404 Not Found"
		if !strings.HasPrefix(out.String(), want) || !strings.HasSuffix(out.String(), "http://x/after: 0 links\n") {
			t.Errorf("it printed\n%s", out.String())
		}
		if diff := cmp.Diff(map[string]int{"/": 1, "/a": 1, "/b": 1, "/busy": 3, "/gone": 1, "/after": 1}, maps.Clone(p.times)); diff != "" {
			t.Errorf("asked for (-want +got):\n%s", diff)
		}
	})
}

// Links are relative to the page that answers, which is another one than was asked for after a redirect.
func TestReadAfterARedirect(t *testing.T) {
	h := http.NewServeMux()
	h.Handle("/docs", http.RedirectHandler("/docs/", http.StatusMovedPermanently))
	h.HandleFunc("/docs/", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<a href="a"> <a href="http://x">`))
	})
	got, err := over(h).read(t.Context(), "http://x/docs")
	if diff := cmp.Diff([]string{"http://x/docs/a", "http://x/"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"localhost:8080"}, {"127.0.0.1:8080/"}, {"-h"}, {"ftp://here/"}, {"http://"}, {""}, {"http://here/", "http://there/"}} {
		var out strings.Builder
		if err := crawl(t.Context(), args, &out); err == nil || out.Len() > 0 {
			t.Errorf("%q: %v, and printed %q", args, err, &out)
		}
	}
	var out strings.Builder
	if err := crawl(t.Context(), nil, &out); err != nil || !strings.Contains(out.String(), "/busy: 2 links") {
		t.Errorf("without arguments: %v, and printed\n%s", err, &out)
	}
}

func TestManners(t *testing.T) {
	slow := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for reason, tt := range map[string]struct {
		manners manners
		handler http.Handler
		pages   int
		took    time.Duration
	}{
		"depth":                   {manners{atOnce: 9, rate: 99, limit: time.Second, tries: 3, depth: 0}, newPages(), 1, 0},
		"one request in a second": {manners{atOnce: 9, rate: 1, limit: time.Second, tries: 1, depth: 1}, newPages(), 4, 3 * time.Second},
		"limit":                   {manners{atOnce: 9, rate: 99, limit: time.Second, tries: 1, depth: 9}, slow, 1, time.Second},
	} {
		t.Run(reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				got, err := flow.Run(t.Context(), newPlan(tt.manners, over(tt.handler)), "http://x/")
				if took := time.Since(began); err != nil || len(got) != tt.pages || took != tt.took {
					t.Errorf("%d pages, %v after %v", len(got), err, took)
				}
			})
		})
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stops := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	if _, err := flow.Run(ctx, newPlan(polite, over(stops)), "http://x/"); !errors.Is(err, fault.Cancelled) {
		t.Errorf("got %v", err)
	}
}

func TestOnLoopback(t *testing.T) {
	server := httptest.NewServer(newPages())
	defer server.Close()
	var out strings.Builder
	if err := tell(t.Context(), &out, newPlan(polite, site{server.Client()}), server.URL+"/"); err != nil || strings.Count(out.String(), "\n") != 6 {
		t.Errorf("%v\n%s", err, out.String())
	}
}
