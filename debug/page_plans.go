package debug

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/futoin-go/asyncsteps/fault"
)

type plansView struct {
	Plans []planView `json:"plans"`
	Found int        `json:"found"`

	Sort  string    `json:"-"`
	Heads []heading `json:"-"` // of the columns that the list can be sorted by
	Pages pager     `json:"-"`
}

type planView struct {
	ID    int        `json:"id"`
	Name  string     `json:"name"`
	Site  fault.Site `json:"site"`
	Steps int        `json:"steps"` // steps that have been seen
	tallyView

	Page    string `json:"-"` // URLs
	Runs    string `json:"-"`
	ToSteps string `json:"-"`
}

type stepsView struct {
	Steps []stepStatsView `json:"steps"`
	Found int             `json:"found"`

	Plan  string    `json:"-"` // the plan that was asked for
	Step  string    `json:"-"`
	Sort  string    `json:"-"`
	Heads []heading `json:"-"` // of the columns that the list can be sorted by
	Pages pager     `json:"-"`
}

type stepStatsView struct {
	Plan  string     `json:"plan"`
	Path  string     `json:"path"` // in the plan
	Label string     `json:"label"`
	Kind  string     `json:"kind"`
	Site  fault.Site `json:"-"` // of the plan
	tallyView

	Runs string `json:"-"` // URL
}

// columns are the columns by which plans and steps can be sorted. The first one is the default.
var columns = []struct {
	order, text string
	compare     func(a, b tallyView) int // below 0 if a comes first; nil is the order of plans
}{
	{"plan", "Plan", nil},
	{"live", "Live", func(a, b tallyView) int { return cmp.Compare(b.Live, a.Live) }},
	{"good", "Succeeded", func(a, b tallyView) int { return cmp.Compare(b.Good, a.Good) }},
	{"failed", "Failed", func(a, b tallyView) int { return cmp.Compare(b.Failed, a.Failed) }},
	{"rate", "Per second", func(a, b tallyView) int { return cmp.Compare(b.Rate, a.Rate) }},
	{"p50", "p50", func(a, b tallyView) int { return cmp.Compare(b.Times.P50, a.Times.P50) }},
	{"p95", "p95", func(a, b tallyView) int { return cmp.Compare(b.Times.P95, a.Times.P95) }},
	{"p99", "p99", func(a, b tallyView) int { return cmp.Compare(b.Times.P99, a.Times.P99) }},
	{"longest", "Longest", func(a, b tallyView) int { return cmp.Compare(b.Times.Max, a.Times.Max) }},
}

var errBadOrder = &refusal{http.StatusBadRequest, "sort is one of plan, live, good, failed, rate, p50, p95, p99, longest, with - in front for the reverse; page and size are numbers from 1"}

// sortTallies sorts plans or steps by an order that parseListing has accepted.
func sortTallies[T any](all []T, order string, tally func(T) tallyView) {
	order, reverse := strings.CutPrefix(order, "-")
	for _, c := range columns {
		if c.order != order || c.compare == nil {
			continue
		}
		slices.SortStableFunc(all, func(a, b T) int {
			if reverse {
				a, b = b, a
			}
			return c.compare(tally(a), tally(b))
		})
	}
}

type listing struct {
	page, size       int
	sort, plan, step string
}

func parseListing(v url.Values) (l listing, err error) {
	l = listing{sort: v.Get("sort"), plan: v.Get("plan"), step: v.Get("step")}
	var ok [2]bool
	l.page, ok[0] = positive(v.Get("page"), 1)
	l.size, ok[1] = positive(v.Get("size"), pageSize)
	l.size = min(l.size, maxPageSize)
	if l.sort == "" {
		l.sort = "plan"
	}
	known := false
	for _, c := range columns {
		known = known || c.order == l.sort || c.compare != nil && "-"+c.order == l.sort
	}
	if !known || ok != [2]bool{true, true} {
		return l, errBadOrder
	}
	return l, nil
}

// link returns the address of the list to, "plans" or "steps", with the given order and page.
func (l listing) link(to, sort string, page int) string {
	v := url.Values{}
	for key, value := range map[string]string{"plan": l.plan, "step": l.step} {
		if value != "" {
			v.Set(key, value)
		}
	}
	if sort != "plan" {
		v.Set("sort", sort)
	}
	if page > 1 {
		v.Set("page", itoa(page))
	}
	if l.size != pageSize {
		v.Set("size", itoa(l.size))
	}
	return to + "?" + v.Encode()
}

func (l listing) heads(to string) (all []heading) {
	for _, c := range columns {
		h := newHeading(c.text, c.order, l.sort, true, func(sort string) string { return l.link(to, sort, 1) })
		if c.compare == nil {
			h = heading{Text: c.text, Link: l.link(to, c.order, 1)}
		}
		all = append(all, h)
	}
	return all
}

func (h *Handler) allPlans(r *http.Request) (any, error) {
	l, err := parseListing(r.URL.Query())
	if err != nil {
		return nil, err
	}
	now := h.book.options.Clock()
	all := []planView{}
	for i, p := range h.book.plans.list() {
		all = append(all, p.planView(i+1, now))
	}
	sortTallies(all, l.sort, func(v planView) tallyView { return v.tallyView })
	return plansView{
		Plans: pageOf(all, l), Found: len(all), Sort: l.sort, Heads: l.heads("plans"),
		Pages: newPager("plans", l.page, l.size, len(all), func(page int) string { return l.link("plans", l.sort, page) }),
	}, nil
}

func (h *Handler) allSteps(r *http.Request) (any, error) {
	l, err := parseListing(r.URL.Query())
	if err != nil {
		return nil, err
	}
	now := h.book.options.Clock()
	all := []stepStatsView{}
	plan, step := lower(l.plan), lower(l.step)
	for _, p := range h.book.plans.list() {
		if !within(p.name, plan) {
			continue
		}
		from := len(all)
		for key, s := range *p.steps.Load() {
			if key.path != l.step && !within(key.label, step) {
				continue
			}
			link := url.Values{"plan": {p.name}, "step": {key.path}, "state": {"live"}}
			all = append(all, stepStatsView{
				Plan: p.name, Path: key.path, Label: key.label, Kind: s.kind, Site: p.site, tallyView: s.view(now),
				Runs: "index?" + link.Encode(),
			})
		}
		slices.SortFunc(all[from:], func(a, b stepStatsView) int {
			return cmp.Or(comparePaths(a.Path, b.Path), cmp.Compare(a.Label, b.Label))
		})
	}
	sortTallies(all, l.sort, func(v stepStatsView) tallyView { return v.tallyView })
	return stepsView{
		Steps: pageOf(all, l), Found: len(all), Plan: l.plan, Step: l.step, Sort: l.sort, Heads: l.heads("steps"),
		Pages: newPager("steps", l.page, l.size, len(all), func(page int) string { return l.link("steps", l.sort, page) }),
	}, nil
}

func pageOf[T any](all []T, l listing) []T {
	from := min((l.page-1)*l.size, len(all))
	return all[from:min(from+l.size, len(all))]
}
