package debug_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

type planned struct {
	Name    string
	History []pastMinute
}

type pastMinute struct {
	Ago, Failed int
	Times       struct {
		Count              int
		P50, P95, P99, Max float64
	}
}

// The history has sixty minutes, with the present one.
func TestHistoryOfPlan(t *testing.T) {
	h := newHarness(t, debug.Options{Ended: 1})
	n := 0
	order := flow.Named("order", flow.Then(step.Func(func(step.Scope, step.Unit) (step.Unit, error) {
		if n++; n%10 == 0 {
			return step.Unit{}, errBad
		}
		return step.Unit{}, nil
	}), plantest.Delay("pay", time.Second)))
	for range 10 {
		start(h, order) // ten runs in minute 0, one of which fails at once
	}
	h.loop.Advance(3 * time.Minute)
	start(h, plantest.Delay("other", time.Hour))
	start(h, order)
	h.loop.Advance(time.Minute)
	start(h, flow.Named("order", plantest.Delay("slow", 90*time.Second))) // another plan, of the same name
	h.loop.Advance(2 * time.Second)

	var v planned
	h.into("plan?id=1", &v)
	var got []string
	for _, m := range v.History {
		got = append(got, fmt.Sprint(m.Ago, ": ", m.Times.Count, " ", m.Failed, " ", m.Times.P50 > 0.9 && m.Times.P50 < 1.1))
	}
	if diff := cmp.Diff([]string{"4: 10 1 true", "1: 1 0 true"}, got); diff != "" || v.Name != "order" {
		t.Errorf("%s: -want +got:\n%s", v.Name, diff)
	}
	page := h.html("plan?id=1")
	if lines := regexp.MustCompile(`<path class="line k0" d="M[^"L]*h8.0M[^"L]*h8.0"/>`).FindAllString(page, -1); len(lines) != 2 {
		t.Errorf("lines over minutes in which nothing ended, or points that can't be seen: %s", page)
	}
	for _, want := range []string{"60 min ago", ">now<", "p99 973.08ms, p95 973.08ms, p50 973.08ms", `>0s</text>`, `>1s</text>`, `href="index?plan=order"`} {
		if !strings.Contains(html.UnescapeString(page), want) {
			t.Errorf("%s isn't in %s", want, page)
		}
	}

	for range 200 {
		start(h, order)
		h.loop.Advance(time.Minute)
	}
	h.into("plan?id=1", &v)
	if len(v.History) != 59 || v.History[0].Ago != 59 || v.History[58].Ago != 1 {
		t.Errorf("%d minutes are kept: %v", len(v.History), v.History)
	}
	h.loop.Advance(2 * time.Hour)
	v = planned{}
	if h.into("plan?id=1", &v); len(v.History) != 0 || !strings.Contains(h.html("plan?id=1"), "No run has ended in this time.") {
		t.Errorf("after hours there are %d minutes", len(v.History))
	}
}

func TestAxisIsLogarithmic(t *testing.T) {
	h := newHarness(t, debug.Options{})
	for i, d := range []time.Duration{20 * time.Millisecond, 3 * time.Second, 50 * time.Second} {
		start(h, flow.Named("order", plantest.Delay("pay", d)))
		h.loop.Advance(time.Duration(i+1) * time.Minute)
	}
	if diff := cmp.Diff([]string{"10ms", "100ms", "1s", "10s", "1m", "0", "1"}, ticks(h.html("plan?id=1"))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Axes of times have round ticks.
func TestAxisOfTimes(t *testing.T) {
	for took, want := range map[time.Duration][]string{
		7 * time.Millisecond: {"0s", "5ms", "10ms"}, 40 * time.Second: {"0s", "15s", "30s", "45s"}, 80 * time.Minute: {"0s", "30m", "1h", "1h30m"},
		30 * time.Hour: {"0s", "12h", "24h", "36h"}, 200 * time.Hour: {"0s", "120h", "240h"},
	} {
		h := newHarness(t, debug.Options{})
		start(h, plantest.Delay("", took))
		h.loop.Advance(took)
		if got := ticks(h.html("plan?id=1")); !cmp.Equal(got[:len(got)-2], want) {
			t.Errorf("%v: %q, want %q", took, got[:len(got)-2], want)
		}
	}
	h := newHarness(t, debug.Options{})
	n := 0
	order := flow.Named("order", step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
		n++
		return step.Into(as, plantest.Delay("", []time.Duration{50 * time.Minute, 2 * time.Second}[n-1]), step.Unit{})
	}))
	start(h, order)
	h.loop.Advance(49 * time.Minute)
	start(h, order)
	h.loop.Advance(time.Minute)
	if got := ticks(h.html("plan?id=1")); !cmp.Equal(got[:len(got)-2], []string{"1s", "10s", "1m", "10m", "1h"}) {
		t.Errorf("times that differ much: %q", got)
	}
}

func ticks(page string) (all []string) {
	for _, row := range regexp.MustCompile(`class="row">([^<]*)<`).FindAllStringSubmatch(page, -1) {
		all = append(all, row[1])
	}
	return all
}

func TestAxisOfRuns(t *testing.T) {
	for runs, want := range map[int][]string{
		1: {"0", "1"}, 2: {"0", "1", "2"}, 3: {"0", "1", "2", "3"}, 5: {"0", "2", "4", "6"}, 1500: {"0", "500", "1000", "1500"},
		25_000: {"0", "10k", "20k", "30k"},
	} {
		h := newHarness(t, debug.Options{})
		for range runs {
			start(h, plantest.Named("", nil))
		}
		if got := ticks(h.html("plan?id=1")); !cmp.Equal(got[len(got)-len(want):], want) {
			t.Errorf("%d runs: %q, want %q", runs, got, want)
		}
	}
}

func TestPictureOfPlan(t *testing.T) {
	h := newHarness(t, debug.Options{})
	pay := flow.Named("order", flow.Then(flow.Named("check", plantest.Named("", nil)), flow.Named("bank", flow.Timeout(time.Minute, plantest.Delay("pay", time.Second)))))
	for range 3 {
		start(h, pay)
	}
	h.loop.Advance(time.Second)
	start(h, pay)
	page := h.html("plan?id=1")
	for _, want := range []string{">p50 0s, p99 0s<", ">p50 973.08ms, p99 973.08ms, 1 live<"} {
		if !strings.Contains(page, want) {
			t.Errorf("%s isn't in %s", want, page)
		}
	}
	shut := h.html(strings.TrimSuffix(foldLink(page, "bank"), "#picture"))
	if !strings.Contains(shut, "folded 1 step") || strings.Contains(shut, ">pay</text>") {
		t.Errorf("not folded: %q", boxes(shut))
	}
}

func TestPlansThatAreNotThere(t *testing.T) {
	h := newHarness(t, debug.Options{})
	start(h, plantest.Named("", nil))
	for page, want := range map[string]int{
		"plan": http.StatusBadRequest, "plan?id=x": http.StatusBadRequest, "plan?id=0": http.StatusNotFound, "plan?id=2": http.StatusNotFound, "plan?id=1": http.StatusOK,
	} {
		if w := h.request(http.MethodGet, page, nil); w.Code != want {
			t.Errorf("%s: %d", page, w.Code)
		}
	}
}
