package main

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// G2, G3, G4: the result of a burst is certain, because in virtual time no limit passes while requests are handled.
func TestBursts(t *testing.T) {
	known, err := newShop(productData)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bursts {
		t.Run(b.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				held, release := hold(known.backends(), b.held)
				reviews := &peak{of: held["reviews"]}
				held["reviews"] = reviews
				client := virtual(t, held, b.limits)
				r := newReport(b.size())
				r.judge(b.send(t.Context(), client, "http://gateway", settled(release), r.count))
				if !r.expected() {
					r.print(t.Output())
					t.Error("not as expected")
				}
				if took := time.Since(began); took != 0 {
					t.Errorf("it took %v", took)
				}
				if reviews.most != 4 {
					t.Errorf("there were %d calls at a time, want 4", reviews.most)
				}
			})
		})
	}
}

// A burst with unexpected counts is a problem of the report, and all its requests are answered.
func TestBurstWithOtherCounts(t *testing.T) {
	known, err := newShop(productData)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		reason      string
		early, late kinds
	}{
		{"fewer rejected", kinds{"429 Mutex queue limit": 17}, kinds{"200": 7}},
		{"more rejected", kinds{"429 Mutex queue limit": 15}, kinds{"200": 9}},
		{"for another reason", kinds{"429": 16}, kinds{"200": 8}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := bursts[0]
				b.early, b.late = tt.early, tt.late
				held, release := hold(known.backends(), b.held)
				r := newReport(b.size())
				r.judge(b.send(t.Context(), virtual(t, held, b.limits), "http://gateway", settled(release), r.count))
				if r.expected() || r.answered != b.size() {
					t.Errorf("%d answers, problems %q", r.answered, r.problems)
				}
			})
		})
	}
}

// Ctrl-C while backends are held: each request that was sent is answered without delay.
func TestInterruptedBurst(t *testing.T) {
	known, err := newShop(productData)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		b := bursts[0]
		b.early, b.late = kinds{"429": b.size()}, nil // counts that can't be reached, so that only the interrupt releases
		held, release := hold(known.backends(), b.held)
		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, interrupt)
		r := newReport(b.size())
		r.judge(b.send(ctx, virtual(t, held, b.limits), "http://gateway", release, r.count))
		if r.answered != b.size() || r.statuses[http.StatusOK] != 8 {
			t.Errorf("%d answers, %v", r.answered, r.statuses)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// G1: when a client disconnects in the queue, the next request takes its place.
func TestDisconnectWhileQueued(t *testing.T) {
	known, err := newShop(productData)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		held, release := hold(known.backends(), parts)
		client := virtual(t, held, withDoor(syncx.Limits{MaxQueue: 1, Rate: 9}))
		visit := func(ctx context.Context) <-chan int {
			status := make(chan int, 1)
			go func() {
				req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://gateway/products/KB-1001", http.NoBody)
				resp, err := client.Do(req)
				if err != nil {
					status <- 0
					return
				}
				resp.Body.Close()
				status <- resp.StatusCode
			}()
			synctest.Wait() // until the request is inside, queued or rejected
			return status
		}
		ctx, disconnect := context.WithCancel(t.Context())
		inside, gone, rejected := visit(t.Context()), visit(ctx), visit(t.Context())
		disconnect()
		synctest.Wait()
		queued := visit(t.Context())
		release()
		got := [4]int{<-inside, <-gone, <-rejected, <-queued}
		if want := [4]int{200, 0, 429, 200}; got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// settled returns a function that calls release when all goroutines of the bubble are blocked. So the result is certain even if
// counts or guards are wrong.
func settled(release func()) func() {
	return func() {
		synctest.Wait()
		release()
	}
}

// peak records the largest number of calls of a backend at a time.
type peak struct {
	of        http.Handler
	mu        sync.Mutex
	now, most int
}

func (p *peak) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.enter(1)
	defer p.enter(-1)
	p.of.ServeHTTP(w, r)
}

func (p *peak) enter(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now += n
	p.most = max(p.most, p.now)
}
