package main

import (
	"fmt"
	"net/http"
	"sync"
)

// pages is a small site: some pages that link to each other, one of which is busy at first, and a link to a missing one.
type pages struct {
	mu    sync.Mutex
	times map[string]int // how often each page was asked for
}

func newPages() *pages { return &pages{times: map[string]int{}} }

var links = map[string][]string{
	"/":      {"/a", "/b", "/busy", "http://example.com/elsewhere"},
	"/a":     {"/", "/b", "/a#here", "/gone"},
	"/b":     {"/a", "a"},
	"/busy":  {"/", "/after"},
	"/after": nil,
}

func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	to, there := links[r.URL.Path]
	switch n := p.note(r.URL.Path); {
	case !there:
		http.NotFound(w, r)
	case r.URL.Path == "/busy" && n < 3:
		http.Error(w, "try again", http.StatusServiceUnavailable)
	default:
		for _, link := range to {
			fmt.Fprintf(w, "<a href=%q>there</a>\n", link)
		}
	}
}

func (p *pages) note(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.times[path]++
	return p.times[path]
}
