package debug

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/flow/draw"
)

type planPage struct {
	planView

	History []minuteView `json:"history"` // the minutes of the last hour in which runs ended, oldest first

	Heads   []heading     `json:"-"`
	Charts  []axes        `json:"-"`
	Picture template.HTML `json:"-"` // the plan of its latest run that is kept; "" if no run is kept, or the plan is too large
}

var (
	errNoPlan  = &refusal{http.StatusNotFound, "there is no such plan: see plans"}
	errBadPlan = &refusal{http.StatusBadRequest, "which plan? Its id is a number, as in plan?id=7"}
)

func (h *Handler) onePlan(r *http.Request) (any, error) {
	id, err := strconv.Atoi(r.URL.Query().Get("id"))
	if err != nil {
		return nil, errBadPlan
	}
	all := h.book.plans.list()
	if id < 1 || id > len(all) {
		return nil, errNoPlan
	}
	now := h.book.options.Clock()
	p := all[id-1]
	v := planPage{planView: p.planView(id, now), History: p.past.view(now)}
	for _, c := range columns[1:] {
		v.Heads = append(v.Heads, heading{Text: c.text})
	}
	v.Charts = []axes{
		newAxes("how long runs took", v.History, inSeconds, []string{"p99", "p95", "p50"}, func(m minuteView, line int) float64 {
			return time.Duration([...]span{m.Times.P99, m.Times.P95, m.Times.P50}[line]).Seconds()
		}),
		newAxes("runs that ended in a minute", v.History, inRuns, []string{"all", "failed"}, func(m minuteView, line int) float64 {
			return [...]float64{float64(m.Times.Count), float64(m.Failed)}[line]
		}),
	}
	v.Picture, err = h.planPicture(p, id, r.URL.Query())
	return v, err
}

func (p *planStats) planView(id int, now time.Duration) planView {
	name := url.QueryEscape(p.name)
	return planView{
		ID: id, Name: p.name, Site: p.site, Steps: len(*p.steps.Load()), tallyView: p.view(now),
		Page: "plan?id=" + itoa(id), Runs: "index?plan=" + name, ToSteps: "steps?plan=" + name,
	}
}

// planPicture draws the plan of the latest run of p that is kept, with the figures of each step. It returns "" if no run is kept.
func (h *Handler) planPicture(p *planStats, id int, query url.Values) (template.HTML, error) {
	live, _ := h.book.running()
	var latest *record
	for _, r := range append(live, h.book.over()...) {
		if r.plan == p && (latest == nil || r.run.ID > latest.run.ID) {
			latest = r
		}
	}
	if latest == nil {
		return "", nil
	}
	now := h.book.options.Clock()
	o := h.outline.of(latest.run)
	marks := make(draw.Marks)
	for key, s := range *p.steps.Load() {
		v := s.view(now)
		var words []string
		if v.Times.Count > 0 {
			words = append(words, fmt.Sprintf("p50 %v, p99 %v", v.Times.P50, v.Times.P99))
		}
		if v.Failed > 0 {
			words = append(words, fmt.Sprintf("%d failed", v.Failed))
		}
		m := draw.Mark{}
		if v.Live > 0 {
			m.State = draw.Running
			words = append(words, fmt.Sprintf("%d live", v.Live))
		}
		if m.Note = strings.Join(words, ", "); m.Note != "" && o.steps[key.path] != nil {
			marks[key.path] = m
		}
	}
	return o.newFolding(query, nil).svg("plan", uint64(id), marks)
}
