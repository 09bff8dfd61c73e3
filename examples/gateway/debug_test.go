package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The pages of -serve show where a request stands and which guards it is in.
func TestDebugPages(t *testing.T) {
	asked, left := make(chan string, 3), make(chan string, 3)
	backends := make(map[string]http.Handler)
	for _, name := range parts {
		backends[name] = hang(asked, left, name)
	}
	s, err := startSystem(setup{addr: "127.0.0.1:0", debug: "127.0.0.1:0", local: backends, limits: wide(time.Hour)}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	client := newClient(4)
	ctx, disconnect := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/products/KB-1001", http.NoBody)
		resp, err := client.Do(req)
		if err == nil {
			resp.Body.Close()
		}
		ended <- err
	}()
	for range parts {
		<-asked
	}
	pages := s.debug.url.String() + debugPath
	var index struct {
		Live []struct {
			Name   string
			Attrs  []struct{ Key, Value string }
			Stands []struct{ Path, Kind string }
		}
	}
	unmarshal(t, client, pages+"index.json", &index)
	if len(index.Live) != 1 || index.Live[0].Name != "door" || len(index.Live[0].Stands) != len(parts) || index.Live[0].Stands[0].Kind != "await" {
		t.Errorf("live: %+v", index)
	}
	if len(index.Live) == 1 && (len(index.Live[0].Attrs) != 2 || index.Live[0].Attrs[0].Value != "/products/KB-1001") {
		t.Errorf("attributes: %+v", index.Live[0].Attrs)
	}
	var guards struct {
		Guards []struct {
			Name    string
			Inside  int
			Holders []struct{ Path string }
		}
	}
	unmarshal(t, client, pages+"guards.json", &guards)
	for _, g := range guards.Guards {
		if g.Inside != 1 || len(g.Holders) != 1 {
			t.Errorf("guard %+v, want one inside", g)
		}
	}
	if len(guards.Guards) != 1+len(parts) {
		t.Errorf("%d guards", len(guards.Guards))
	}
	if status, page := get(t, client, pages+"loops"); status != http.StatusOK || !strings.Contains(page, "loop 0") {
		t.Errorf("loops: %d %s", status, page)
	}
	disconnect()
	<-ended
	for range parts {
		<-left
	}
	client.CloseIdleConnections()
	if err := s.shutdown(); err != nil {
		t.Error(err)
	}
}

func unmarshal(t *testing.T, client *http.Client, url string, v any) {
	t.Helper()
	status, body := get(t, client, url)
	if err := json.Unmarshal([]byte(body), v); err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d %s: %v", url, status, body, err)
	}
}

// Without -serve, or with an empty address, there are no pages.
func TestDebugPagesAreOptional(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, ""},
		{[]string{"-debug", "127.0.0.1:1"}, ""},
		{[]string{"-serve"}, "127.0.0.1:0"},
		{[]string{"-serve", "-debug", ""}, ""},
		{[]string{"-serve", "-debug", "127.0.0.1:1"}, "127.0.0.1:1"},
	} {
		if o, err := parseOptions(tt.args, t.Output()); err != nil || o.debug != tt.want {
			t.Errorf("%q: at %q, want %q, %v", tt.args, o.debug, tt.want, err)
		}
	}
}
