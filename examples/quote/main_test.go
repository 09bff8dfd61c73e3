package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/handlertest"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/syncx"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var tested = times{hedge: 50 * time.Millisecond, limit: time.Second, pause: time.Minute}

// rig is a service with two shops.
type rig struct {
	here, there shop
	plan        flow.Plan[string, Quote]
}

func newRig() *rig {
	r := &rig{here: shop{price: 2}, there: shop{price: 3}}
	r.plan = newPlan(tested, new(prices),
		source{"here", handlertest.Client(&r.here), ""}, source{"there", handlertest.Client(&r.there), ""})
	return r
}

// asks requests the price of tea, and returns which shop has answered and after how long.
func (r *rig) asks(t *testing.T) (from string, took time.Duration) {
	t.Helper()
	began := time.Now()
	q, err := flow.Run(t.Context(), r.plan, "tea")
	if err != nil {
		t.Fatal(err)
	}
	if q.Old {
		q.Source += ", old"
	}
	return q.Source, time.Since(began)
}

func TestHedge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		if from, took := r.asks(t); from != "here" || took != 0 || r.there.times() != 0 {
			t.Errorf("well: %s after %v", from, took)
		}
		r.here.set(slow)
		if from, took := r.asks(t); from != "there" || took != tested.hedge {
			t.Errorf("slow: %s after %v", from, took)
		}
		r.here.set(down)
		if from, took := r.asks(t); from != "there" || took != 0 {
			t.Errorf("down: %s after %v", from, took)
		}
	})
}

// A source that keeps failing isn't called until the pause of its breaker is over.
func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		r.here.set(down)
		for range 5 {
			r.asks(t)
		}
		if here, there := r.here.times(), r.there.times(); here != 3 || there != 5 {
			t.Errorf("asked %d and %d times", here, there)
		}
		r.here.set(well)
		time.Sleep(tested.pause)
		if from, _ := r.asks(t); from != "here" {
			t.Errorf("after the pause: %s", from)
		}
	})
}

func TestFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		r.asks(t)
		r.here.set(down)
		r.there.set(slow)
		if from, took := r.asks(t); from != "here, old" || took != tested.limit {
			t.Errorf("%s after %v", from, took)
		}
	})
}

// If no source knows the article, that doesn't count as a failure of a source, and no old price is returned.
func TestUnknown(t *testing.T) {
	r := newRig()
	for range 5 {
		if _, err := flow.Run(t.Context(), r.plan, "coal"); !errors.Is(err, unknown) {
			t.Errorf("got %v", err)
		}
	}
	if r.here.times() != 5 || r.there.times() != 5 {
		t.Errorf("asked %d and %d times", r.here.times(), r.there.times())
	}
	r.here.set(down)
	r.there.set(down)
	for range 4 {
		if _, err := flow.Run(t.Context(), r.plan, "tea"); err == nil {
			t.Error("an answer that nobody has given")
		}
	}
	if _, err := flow.Run(t.Context(), r.plan, "tea"); fault.CodeOf(err) != syncx.CircuitOpen {
		t.Errorf("got %v", err)
	}
}

func TestOnLoopback(t *testing.T) {
	var out strings.Builder
	if err := show(&out, tested); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 8 || !strings.Contains(lines[7], `"source":"there"`) || !strings.Contains(lines[1], "has no coal") {
		t.Errorf("it printed\n%s", out.String())
	}
	rec := httptest.NewRecorder()
	handler(newRig().plan).ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/quote?item=tea", http.NoBody))
	var q Quote
	if err := json.Unmarshal(rec.Body.Bytes(), &q); err != nil || q.Price != 2 {
		t.Errorf("got %+v, %v", q, err)
	}
}
