package debug

import (
	"net/http"
	"slices"
	"strings"
)

type indexView struct {
	Guards int `json:"guards"` // how many there are; pages of their own show them
	Loops  int `json:"loops"`

	// Live are the live runs on this page of the list, oldest first unless another order was asked for. LiveFound is how many
	// runs match on all pages. Unlisted is how many live runs aren't listed.
	Live      []runView `json:"live"`
	LiveFound int       `json:"liveFound"`
	Unlisted  int       `json:"unlisted"`

	// Ended are runs that have ended, latest first unless another order was asked for.
	Ended      []runView `json:"ended"`
	EndedFound int       `json:"endedFound"`

	Status statusView `json:"status"`

	Query     *query   `json:"-"`
	States    []string `json:"-"`
	LivePages pager    `json:"-"`
	PastPages pager    `json:"-"`
	AllLive   int      `json:"-"`
	Plans     []string `json:"-"`
	Sorts     []string `json:"-"`
}

type pager struct {
	Label       string // what the pages list
	Page, Pages int
	Before      string // URLs, "" for none
	After       string
}

// maxStands is how many steps of each run a list of runs shows at most.
const maxStands = 4

func (h *Handler) index(r *http.Request) (any, error) {
	q, err := parseQuery(r.URL.Query())
	if err != nil {
		return nil, err
	}
	now := h.book.options.Clock()
	guards, loops := h.shown()
	v := indexView{Guards: len(guards), Loops: len(loops), Query: &q, States: states}
	v.Status = h.status()
	f := h.book.newFilter(q, now)
	live, others := h.book.running()
	v.Unlisted, v.AllLive = others, len(live)+others
	v.Live, v.LiveFound = f.page(live, q.Page)
	v.Ended, v.EndedFound = f.page(h.book.over(), q.Past)
	v.LivePages = newPager("live runs", q.Page, q.Size, v.LiveFound, func(page int) string { return "index?" + q.with(page, q.Past) })
	v.PastPages = newPager("ended runs", q.Past, q.Size, v.EndedFound, func(page int) string { return "index?" + q.with(q.Page, page) })
	v.Sorts = sortings
	if q.Sort != "" && !slices.Contains(sortings, q.Sort) {
		v.Sorts = append([]string{q.Sort}, sortings...) // so that the form keeps q.Sort
	}
	known := make(map[string]bool)
	for _, p := range h.book.plans.list() {
		if !known[p.name] && len(v.Plans) < maxSuggested {
			known[p.name] = true
			v.Plans = append(v.Plans, p.name)
		}
	}
	return v, nil
}

const maxSuggested = 50

// page returns one page, counted from 1, of the runs that f takes, and how many runs f takes in all.
func (f *filter) page(all []*record, page int) (views []runView, found int) {
	taken := f.sorted(all)
	first := min((page-1)*f.Size, len(taken))
	last := min(first+f.Size, len(taken))
	views = make([]runView, 0, last-first)
	l := newLook(f.now)
	for _, r := range taken[first:last] {
		views = append(views, r.view(l, maxStands))
	}
	return views, len(taken)
}

// newPager links to the pages before and after page. found is the length of the list, size the length of a page.
func newPager(label string, page, size, found int, link func(page int) string) pager {
	p := pager{Label: label, Page: page, Pages: max(1, (found+size-1)/size)}
	if page > 1 {
		p.Before = strings.TrimSuffix(link(min(page-1, p.Pages)), "?")
	}
	if page < p.Pages {
		p.After = strings.TrimSuffix(link(page+1), "?")
	}
	return p
}
