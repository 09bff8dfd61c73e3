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

// testService is a service with two shops.
type testService struct {
	here, there shop
	plan        flow.Plan[string, Quote]
}

func newTestService() *testService {
	s := &testService{here: shop{price: 2}, there: shop{price: 3}}
	s.plan = newPlan(tested, new(prices),
		source{"here", handlertest.Client(&s.here), ""}, source{"there", handlertest.Client(&s.there), ""})
	return s
}

// quote requests the price of tea. It returns the shop that has answered, and after how long.
func (s *testService) quote(t *testing.T) (from string, took time.Duration) {
	t.Helper()
	began := time.Now()
	q, err := flow.Run(t.Context(), s.plan, "tea")
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
		s := newTestService()
		if from, took := s.quote(t); from != "here" || took != 0 || s.there.times() != 0 {
			t.Errorf("well: %s after %v", from, took)
		}
		s.here.set(slow)
		if from, took := s.quote(t); from != "there" || took != tested.hedge {
			t.Errorf("slow: %s after %v", from, took)
		}
		s.here.set(down)
		if from, took := s.quote(t); from != "there" || took != 0 {
			t.Errorf("down: %s after %v", from, took)
		}
	})
}

// A source that keeps failing isn't called until the pause of its breaker is over.
func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestService()
		s.here.set(down)
		for range 5 {
			s.quote(t)
		}
		if here, there := s.here.times(), s.there.times(); here != 3 || there != 5 {
			t.Errorf("asked %d and %d times", here, there)
		}
		s.here.set(well)
		time.Sleep(tested.pause)
		if from, _ := s.quote(t); from != "here" {
			t.Errorf("after the pause: %s", from)
		}
	})
}

func TestFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestService()
		s.quote(t)
		s.here.set(down)
		s.there.set(slow)
		if from, took := s.quote(t); from != "here, old" || took != tested.limit {
			t.Errorf("%s after %v", from, took)
		}
	})
}

// An item that no source knows isn't a failure of a source. An item whose price was never given has no old price.
func TestUnknown(t *testing.T) {
	s := newTestService()
	for range 5 {
		if _, err := flow.Run(t.Context(), s.plan, "coal"); !errors.Is(err, unknown) {
			t.Errorf("got %v", err)
		}
	}
	if s.here.times() != 5 || s.there.times() != 5 {
		t.Errorf("asked %d and %d times", s.here.times(), s.there.times())
	}
	s.here.set(down)
	s.there.set(down)
	for range 4 {
		if _, err := flow.Run(t.Context(), s.plan, "tea"); err == nil {
			t.Error("an answer that nobody has given")
		}
	}
	if _, err := flow.Run(t.Context(), s.plan, "tea"); fault.CodeOf(err) != syncx.CircuitOpen {
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
	handler(newTestService().plan).ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/quote?item=tea", http.NoBody))
	var q Quote
	if err := json.Unmarshal(rec.Body.Bytes(), &q); err != nil || q.Price != 2 {
		t.Errorf("got %+v, %v", q, err)
	}
}
