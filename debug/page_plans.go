package debug

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
)

// plansView is the page of plans.
type plansView struct {
	Plans []planView `json:"plans"`
	Found int        `json:"found"`

	Sort  string   `json:"-"`
	Sorts []choice `json:"-"`
	Pages pager    `json:"-"`
}

// planView is a plan with the figures of its runs.
type planView struct {
	Name  string     `json:"name"`
	Site  fault.Site `json:"site"`
	Steps int        `json:"steps"` // steps that have been seen
	tallyView

	Runs    string `json:"-"` // URLs
	ToSteps string `json:"-"`
}

// stepsView is the page of steps.
type stepsView struct {
	Steps []stepStatsView `json:"steps"`
	Found int             `json:"found"`

	Plan  string   `json:"-"` // the plan that was asked for
	Step  string   `json:"-"`
	Sort  string   `json:"-"`
	Sorts []choice `json:"-"`
	Pages pager    `json:"-"`
}

// stepStatsView is a step of a plan with the figures of its starts.
type stepStatsView struct {
	Plan  string     `json:"plan"`
	Path  string     `json:"path"` // in the plan
	Label string     `json:"label"`
	Kind  string     `json:"kind"`
	Site  fault.Site `json:"-"` // of the plan
	tallyView

	Runs string `json:"-"` // URL
}

// choice is one order in which a list can be sorted.
type choice struct {
	Name, Link string
	Now        bool
}

// orders are the orders in which plans and steps can be sorted. Without one they are in the
// order of plans.
var orders = map[string]func(a, b tallyView) int{
	"live":   func(a, b tallyView) int { return cmp.Compare(b.Live, a.Live) },
	"rate":   func(a, b tallyView) int { return cmp.Compare(b.Rate, a.Rate) },
	"failed": func(a, b tallyView) int { return cmp.Compare(b.Failed, a.Failed) },
	"p50":    func(a, b tallyView) int { return cmp.Compare(b.Times.P50, a.Times.P50) },
	"p99":    func(a, b tallyView) int { return cmp.Compare(b.Times.P99, a.Times.P99) },
}

var orderNames = []string{"plan", "live", "rate", "failed", "p50", "p99"}

var errBadOrder = &refusal{http.StatusBadRequest, "sort is one of plan, live, rate, failed, p50, p99; page and size are numbers from 1"}

// listing is a request for the page of plans or of steps: which part of the list, in which order.
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
	if !slices.Contains(orderNames, l.sort) || ok != [2]bool{true, true} {
		return l, errBadOrder
	}
	return l, nil
}

// link leads to the same list, in an order, from a page on.
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

func (l listing) choices(to string) (all []choice) {
	for _, name := range orderNames {
		all = append(all, choice{name, l.link(to, name, 1), name == l.sort})
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
	for _, p := range h.book.plans.list() {
		name := url.QueryEscape(p.name)
		all = append(all, planView{
			Name: p.name, Site: p.site, Steps: len(*p.steps.Load()), tallyView: p.view(now),
			Runs: "index?plan=" + name, ToSteps: "steps?plan=" + name,
		})
	}
	if less := orders[l.sort]; less != nil {
		slices.SortStableFunc(all, func(a, b planView) int { return less(a.tallyView, b.tallyView) })
	}
	return plansView{
		Plans: pageOf(all, l), Found: len(all), Sort: l.sort, Sorts: l.choices("plans"),
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
	if less := orders[l.sort]; less != nil {
		slices.SortStableFunc(all, func(a, b stepStatsView) int { return less(a.tallyView, b.tallyView) })
	}
	return stepsView{
		Steps: pageOf(all, l), Found: len(all), Plan: l.plan, Step: l.step, Sort: l.sort, Sorts: l.choices("steps"),
		Pages: newPager("steps", l.page, l.size, len(all), func(page int) string { return l.link("steps", l.sort, page) }),
	}, nil
}

// pageOf cuts out the page that was asked for.
func pageOf[T any](all []T, l listing) []T {
	from := min((l.page-1)*l.size, len(all))
	return all[from:min(from+l.size, len(all))]
}
