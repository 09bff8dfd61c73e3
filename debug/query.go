package debug

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// query holds what was asked for on the page of runs. Empty fields ask for nothing.
type query struct {
	Text  string // the run's number, or a part of its plan's name, of an attribute, of its error, or of a step at which it stands
	Plan  string
	Step  string // a step that is live, or at which the run has failed
	State string // one of states
	Code  string // code of the error that the run has ended with
	Attr  string // "key", or "key=value"
	Sort  string // see sortable
	Cols  string // comma-separated keys of the attributes that get columns of their own
	Age   time.Duration
	Page  int // from 1, of live runs
	Past  int // from 1, of ended runs
	Size  int // of a page
}

var states = []string{"live", "running", "suspended", "queued", "ended", "value", "failed"}

const (
	pageSize    = 50
	maxPageSize = 1000
)

var errBadQuery = &refusal{400, "the query is not understood: age is a duration such as 5s, state one of " +
	strings.Join(states, ", ") + ", sort one of " + strings.Join(sortings, ", ") + ", attr:key, with - in front for the reverse, page, past and size are numbers from 1"}

func parseQuery(v url.Values) (q query, err error) {
	q = query{
		Text: strings.TrimSpace(v.Get("q")), Plan: strings.TrimSpace(v.Get("plan")), Step: strings.TrimSpace(v.Get("step")),
		State: v.Get("state"), Code: strings.TrimSpace(v.Get("code")), Attr: strings.TrimSpace(v.Get("attr")),
		Sort: v.Get("sort"), Cols: strings.TrimSpace(v.Get("cols")),
	}
	if q.Sort == sortings[0] {
		q.Sort = ""
	}
	if age := strings.TrimSpace(v.Get("age")); age != "" {
		if q.Age, err = time.ParseDuration(age); err != nil {
			return q, errBadQuery
		}
	}
	known := (q.State == "" || slices.Contains(states, q.State)) && sortable(q.Sort)
	var ok [3]bool
	q.Page, ok[0] = positive(v.Get("page"), 1)
	q.Past, ok[1] = positive(v.Get("past"), 1)
	q.Size, ok[2] = positive(v.Get("size"), pageSize)
	q.Size = min(q.Size, maxPageSize)
	if !known || ok != [3]bool{true, true, true} {
		return q, errBadQuery
	}
	return q, nil
}

// positive parses a number from 1 to maxPage. "" stands for a default.
func positive(s string, otherwise int) (n int, ok bool) {
	if s == "" {
		return otherwise, true
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 1 && n <= maxPage
}

// maxPage keeps the product of a page and its size in range.
const maxPage = 1_000_000

func (q query) with(page, past int) string {
	v := url.Values{}
	set := func(key, value string) {
		if value != "" {
			v.Set(key, value)
		}
	}
	set("q", q.Text)
	set("plan", q.Plan)
	set("step", q.Step)
	set("state", q.State)
	set("code", q.Code)
	set("attr", q.Attr)
	set("sort", q.Sort)
	set("cols", q.Cols)
	if q.Age > 0 {
		v.Set("age", q.Age.String())
	}
	if page > 1 {
		v.Set("page", strconv.Itoa(page))
	}
	if past > 1 {
		v.Set("past", strconv.Itoa(past))
	}
	if q.Size != pageSize {
		v.Set("size", strconv.Itoa(q.Size))
	}
	return v.Encode()
}

func (q query) sortedBy(sort string) string {
	q.Sort = sort
	return "index?" + q.with(1, 1)
}

// Asks reports whether the query selects runs, rather than just a page, an order or columns.
func (q query) Asks() bool {
	q.Page, q.Past, q.Size, q.Sort, q.Cols = 0, 0, 0, "", ""
	return q != query{}
}

const maxColumns = 8

func (q query) Columns() (keys []string) {
	for key := range strings.SplitSeq(q.Cols, ",") {
		if key = strings.TrimSpace(key); key != "" && !slices.Contains(keys, key) && len(keys) < maxColumns {
			keys = append(keys, key)
		}
	}
	return keys
}

func (q query) AgeText() string {
	if q.Age == 0 {
		return ""
	}
	return q.Age.String()
}

// within reports whether text contains part. part must be in lower case; the case of text doesn't matter.
func within(text, part string) bool {
	if len(part) > len(text) {
		return part == ""
	}
	return strings.Contains(strings.ToLower(text), part)
}

// mentions is within, but takes numbers as a whole: it finds 4711 in A-4711, and not in 14711.
func mentions(text, part string) bool {
	if !within(text, part) || part == "" {
		return part == ""
	}
	text = strings.ToLower(text)
	for from := 0; ; from++ {
		at := strings.Index(text[from:], part)
		if at < 0 {
			return false
		}
		from += at
		end := from + len(part)
		goesOn := from > 0 && isDigit(text[from-1]) && isDigit(part[0]) || end < len(text) && isDigit(text[end]) && isDigit(text[end-1])
		if !goesOn {
			return true
		}
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
