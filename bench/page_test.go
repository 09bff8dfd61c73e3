package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
)

type partOfPage struct {
	N int `json:"n"`
}

// services is a transport without a network: each service answers with the same part.
type services struct{}

func (services) RoundTrip(r *http.Request) (*http.Response, error) {
	const part = `{"n":1}`
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(part)), ContentLength: int64(len(part)), Request: r,
	}, nil
}

// sizeOf is an http.ResponseWriter that counts the bytes written.
type sizeOf struct {
	header http.Header
	body   int
}

func (w *sizeOf) Header() http.Header { return w.header }

func (w *sizeOf) WriteHeader(int) {}

func (w *sizeOf) Write(p []byte) (int, error) { w.body += len(p); return len(p), nil }

// pages returns an operation that requests a page which isn't kept.
func pages(h http.Handler) operation {
	id := 0
	return func() (int, error) {
		id++
		r, err := http.NewRequestWithContext(request, http.MethodGet, "http://shop.example/page?id="+strconv.Itoa(id), nil)
		if err != nil {
			return 0, err
		}
		w := &sizeOf{header: http.Header{}}
		h.ServeHTTP(w, r)
		return w.body, nil
	}
}

// cached asks a service for parts, keeps them for at most a minute, and asks only once for requests that want the same
// part at the same time.
type cached struct {
	url    string
	client *http.Client
	calls  singleflight.Group
	mu     sync.Mutex
	kept   map[string]keptPart
}

type keptPart struct {
	part  partOfPage
	until time.Time
}

func (c *cached) get(ctx context.Context, id string) (partOfPage, error) {
	c.mu.Lock()
	k, kept := c.kept[id]
	c.mu.Unlock()
	if kept && time.Now().Before(k.until) {
		return k.part, nil
	}
	v, err, _ := c.calls.Do(id, func() (any, error) {
		part, err := c.ask(ctx, id)
		if err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.kept) == 1000 {
			clear(c.kept)
		}
		c.kept[id] = keptPart{part, time.Now().Add(time.Minute)}
		return part, nil
	})
	if err != nil {
		return partOfPage{}, err
	}
	return v.(partOfPage), nil
}

func (c *cached) ask(ctx context.Context, id string) (part partOfPage, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+id, nil)
	if err != nil {
		return part, err
	}
	answer, err := c.client.Do(r)
	if err != nil {
		return part, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return part, fmt.Errorf("status %d", answer.StatusCode)
	}
	err = json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&part)
	return part, err
}

var threeServices = [3]string{"http://price.example/", "http://stock.example/", "http://reviews.example/"}

// page: a handler asks three services, side by side, for the parts of a page that isn't kept, each with a cache, a time limit
// and retries, and answers with their sum. There is no network.
//
// The peer is written with errgroup, singleflight, a map, and a client of failsafehttp.
var page = row{
	want: func(int) int { return len("{\"n\":3}\n") },
	columns: []column{
		{name: "asyncsteps", build: func(testing.TB, int) operation {
			client := &http.Client{Transport: services{}}
			var parts [3]step.Step[string, partOfPage]
			for i, url := range threeServices {
				ask := retry.Of(retry.Policy{Tries: 3, Pause: time.Millisecond}, httpx.GetJSON[partOfPage](client))
				load := flow.Then(step.Map(func(id string) string { return url + id }), flow.Timeout(time.Second, ask))
				parts[i] = share.NewMemo(share.MemoPolicy{Lifetime: time.Minute}, load).Get()
			}
			plan := flow.Then(flow.Par(parts[:]...), step.Map(func(all []partOfPage) partOfPage {
				return partOfPage{all[0].N + all[1].N + all[2].N}
			}))
			id := func(r *http.Request) (string, error) { return r.URL.Query().Get("id"), nil }
			return pages(httpx.Handler(plan, id, httpx.WriteJSON[partOfPage]))
		}},
		peer("plain", func(testing.TB, int) operation {
			tries := failsafehttp.NewRetryPolicyBuilder().WithMaxAttempts(3).WithDelay(time.Millisecond).Build()
			client := &http.Client{Transport: failsafehttp.NewRoundTripper(services{}, tries)}
			var from [3]*cached
			for i, url := range threeServices {
				from[i] = &cached{url: url, client: client, kept: map[string]keptPart{}}
			}
			return pages(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				id := r.URL.Query().Get("id")
				var all [3]partOfPage
				g, ctx := errgroup.WithContext(r.Context())
				for i, c := range from {
					g.Go(func() (err error) { all[i], err = c.get(ctx, id); return err })
				}
				if err := g.Wait(); err != nil {
					http.Error(w, err.Error(), http.StatusBadGateway)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_ = json.NewEncoder(w).Encode(partOfPage{all[0].N + all[1].N + all[2].N})
			}))
		}),
	},
}

func BenchmarkPage(b *testing.B) { page.bench(b) }
