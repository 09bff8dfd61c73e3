package debug

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

type spanView struct {
	Path  string     `json:"path"`
	Label string     `json:"label"`
	Kind  string     `json:"kind"`
	From  span       `json:"from"`
	To    span       `json:"to"` // for a live step, now
	Live  bool       `json:"live,omitempty"`
	Code  fault.Code `json:"code,omitempty"` // code of the error that ended the step; "" is success

	Waited span `json:"waited,omitempty"` // how long the step waited for something outside
	Queued span `json:"queued,omitempty"` // how long the step waited for a guard

	Attempt int    `json:"attempt,omitempty"` // of a retry
	Of      int    `json:"of,omitempty"`      // how many attempts there may be; 0 is any number
	Race    string `json:"race,omitempty"`    // the branch of a race in which the step is: "hedge 1"
	Won     []int  `json:"won,omitempty"`     // for a race: the branches that have decided it

	waits []pause
	holds bool // listed steps were inside of the step
}

var races = []string{"first", "some", "race", "hedge"}

// raceOf returns the kind of the innermost race around the step at path, and the number of the branch: "hedge 1". It returns "" if
// there is no race.
func raceOf(path string) string {
	segments := strings.Split(path, "/")
	for _, segment := range slices.Backward(segments) {
		kind, branch := splitSegment(segment)
		if kind != "" && slices.Contains(races, kind) {
			return kind + " " + itoa(branch)
		}
	}
	return ""
}

func spansOf(c runCopy) []spanView {
	spans := make([]spanView, 0, len(c.lives))
	for _, l := range c.lives {
		s := spanView{
			Path: l.path, Label: l.label, Kind: l.kind, From: span(l.from), To: span(l.to), Live: l.to == openEnd, Code: l.code,
			Attempt: l.attempt, Of: l.most, Race: raceOf(l.path), Won: l.won, waits: l.waits, holds: l.held,
		}
		if s.Live {
			s.To = span(max(c.age, l.from))
		}
		for i := range s.waits {
			if s.waits[i].to < 0 {
				s.waits[i].to = time.Duration(s.To)
			}
			took := span(s.waits[i].to - s.waits[i].from)
			if s.waits[i].queued {
				s.Queued += took
			} else {
				s.Waited += took
			}
		}
		spans = append(spans, s)
	}
	slices.SortStableFunc(spans, func(a, b spanView) int {
		return cmp.Or(comparePaths(a.Path, b.Path), cmp.Compare(a.From, b.From))
	})
	return spans
}

type timeline struct {
	From, To span
	Rows     []timeRow
	More     int // spans in view for which there is no row
	Ticks    []timeTick
	Zoomed   bool

	Whole, In, Out, Left, Right string // URLs; "" for none
}

// timeRow is a step with its spans that are in view.
type timeRow struct {
	Path, Label, Kind string
	Depth             int
	Badges            []string
	Bars              template.HTML
	Text              string // the first bar in words
	Zoom              string // URL of the view of the first bar
	Failed, Live      bool

	times int // how many spans the row has
}

type timeTick struct {
	X    string
	Text span
}

const maxTimeRows = 100

var errBadZoom = &refusal{http.StatusBadRequest, "from and to are seconds since the start of the run, from below to"}

// newTimeline makes the view of the spans for the parameters from and to of v, in seconds.
func newTimeline(v url.Values, spans []spanView, age time.Duration, over bool) (timeline, error) {
	whole := max(age, time.Microsecond)
	from, ok1 := moment(v.Get("from"), 0)
	to, ok2 := moment(v.Get("to"), whole)
	if !ok1 || !ok2 || from >= to {
		return timeline{}, errBadZoom
	}
	t := timeline{From: span(from), To: span(to), Zoomed: v.Has("from") || v.Has("to")}
	link := func(from, to time.Duration) string {
		from, to = max(0, from), min(max(to, from+time.Microsecond), whole)
		q := url.Values{"id": {v.Get("id")}}
		if from > 0 || to < whole || !over && to != whole {
			q.Set("from", secondsOf(from))
			q.Set("to", secondsOf(to))
		}
		return "run?" + q.Encode() + "#timeline"
	}
	width := to - from
	t.Whole = link(0, whole)
	if width > 4*time.Microsecond {
		t.In = link(from+width/4, to-width/4)
	}
	if t.Zoomed {
		t.Out = link(from-width/2, to+width/2)
	}
	if from > 0 {
		t.Left = link(max(0, from-width/2), max(0, from-width/2)+width)
	}
	if to < whole {
		t.Right = link(from+width/2, to+width/2)
	}
	t.rows(spans, link)
	for i := range 5 {
		at := from + width*time.Duration(i)/5
		t.Ticks = append(t.Ticks, timeTick{t.at(span(at)), span(at)})
	}
	return t, nil
}

// moment parses seconds since the start of the run, at least 0 and below 1e9. "" stands for a default.
func moment(s string, otherwise time.Duration) (time.Duration, bool) {
	if s == "" {
		return otherwise, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f >= 0 && f < 1e9) {
		return 0, false
	}
	return time.Duration(f * float64(time.Second)), true
}

func secondsOf(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// at returns the position of a moment, in thousandths of the view.
func (t *timeline) at(m span) string {
	return strconv.FormatFloat(1000*float64(m-t.From)/float64(t.To-t.From), 'f', 1, 64)
}

// rows makes rows of the spans in view. Successive spans with the same path and label share a row, such as the iterations of a
// loop. The elements of a stream share a row too. An attempt of a retry has a row of its own. There are at most maxTimeRows rows.
func (t *timeline) rows(spans []spanView, link func(from, to time.Duration) string) {
	elements := make(map[stepKey]int) // indexes of the rows of elements
	for _, s := range spans {
		if s.To < t.From || s.From > t.To {
			continue
		}
		at := len(t.Rows) - 1
		path := ofElements(s.Path)
		if row, known := elements[stepKey{path, s.Label}]; known {
			at = row
		}
		if at < 0 || t.Rows[at].Path != path || t.Rows[at].Label != s.Label || s.Attempt > 0 {
			if len(t.Rows) >= maxTimeRows {
				t.More++
				continue
			}
			at = len(t.Rows)
			t.Rows = append(t.Rows, s.row(path, link))
			if path != s.Path {
				elements[stepKey{path, s.Label}] = at
			}
		}
		row := &t.Rows[at]
		row.Live = row.Live || s.Live
		row.Failed = row.Failed || s.Code != ""
		row.Bars += t.bars(s)
		row.times++
	}
	for i := range t.Rows {
		if n := t.Rows[i].times; n > 1 {
			t.Rows[i].Badges = append(t.Rows[i].Badges, "×"+itoa(n))
		}
	}
}

func (s spanView) row(path string, link func(from, to time.Duration) string) timeRow {
	margin := time.Duration(s.To-s.From)/10 + time.Microsecond
	return timeRow{
		Path: path, Label: s.Label, Kind: s.Kind, Depth: min(strings.Count(path, "/"), 8), Badges: s.badges(), Text: s.words(),
		Zoom: link(time.Duration(s.From)-margin, time.Duration(s.To)+margin),
	}
}

func (s spanView) badges() (all []string) {
	switch {
	case s.Attempt > 0 && s.Of > 0:
		all = append(all, fmt.Sprintf("attempt %d of %d", s.Attempt, s.Of))
	case s.Attempt > 0:
		all = append(all, fmt.Sprintf("attempt %d", s.Attempt))
	}
	if s.Race != "" {
		all = append(all, s.Race)
	}
	if len(s.Won) > 0 {
		all = append(all, "won by "+strings.Trim(fmt.Sprint(s.Won), "[]"))
	}
	return all
}

func (s spanView) words() string {
	said := fmt.Sprintf("from %v, took %v", s.From, s.To-s.From)
	if s.Live {
		said = fmt.Sprintf("from %v, goes on since %v", s.From, s.To-s.From)
	}
	if s.Queued > 0 {
		said += fmt.Sprintf(", queued %v", s.Queued)
	}
	if s.Waited > 0 {
		said += fmt.Sprintf(", suspended %v", s.Waited)
	}
	if s.Code != "" {
		said += ", left by " + string(s.Code)
	}
	return said
}

// bars draws the step s, and its pauses on top of it. The SVG contains no text from outside.
func (t *timeline) bars(s spanView) template.HTML {
	class := "busy"
	switch {
	case s.Code != "":
		class = "failed"
	case s.Attempt > 0:
		class = "attempt"
	case s.Race != "":
		class = "race"
	case s.holds:
		class = "holds"
	}
	thin := s.holds && s.Attempt == 0
	if s.Live {
		class += " open"
	}
	all := t.bar(class, s.From, s.To, thin)
	for _, w := range s.waits {
		class := "suspended"
		if w.queued {
			class = "queued"
		}
		if span(w.to) >= t.From && span(w.from) <= t.To {
			all += t.bar(class, span(w.from), span(w.to), class == "suspended")
		}
	}
	return all
}

// bar draws the visible part of a span, wide enough to be seen. X and width are thousandths of the view.
func (t *timeline) bar(class string, from, to span, thin bool) template.HTML {
	from, to = max(from, t.From), min(to, t.To)
	least, y, height := 2.0, 1, 12
	if strings.HasPrefix(class, "failed") {
		least = 8 // a failure is often short
	}
	if thin {
		y, height = 4, 6
	}
	width := max(1000*float64(to-from)/float64(t.To-t.From), least)
	x := min(1000*float64(from-t.From)/float64(t.To-t.From), 1000-width)
	return template.HTML(fmt.Sprintf(`<rect class="%s" x="%.1f" y="%d" width="%.1f" height="%d"/>`, class, x, y, width, height)) //nolint:gosec // made here
}
