package debug

import (
	"strconv"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// filter is a query that is prepared for many runs: comparisons with a plan and its steps are made once for each plan.
type filter struct {
	query

	now   time.Duration
	text  string // in lower case
	attr  attrView
	plans map[*planStats]match
}

type match struct {
	plan  bool  // the name matches query.Plan
	text  bool  // the text was found in the name
	steps []int // indexes of the steps that match query.Step
}

func (b *book) newFilter(q query, now time.Duration) *filter {
	f := &filter{query: q, now: now, text: strings.ToLower(q.Text), plans: make(map[*planStats]match)}
	f.attr = attrAsked(q.Attr)
	plan, step := strings.ToLower(q.Plan), strings.ToLower(q.Step)
	for _, p := range b.plans.list() {
		m := match{plan: within(p.name, plan), text: within(p.name, f.text)}
		if step != "" {
			for key, s := range *p.steps.Load() {
				if key.path == q.Step || within(key.label, step) {
					m.steps = append(m.steps, s.index)
				}
			}
		}
		f.plans[p] = m
	}
	return f
}

// takes reports whether r matches f.
func (f *filter) takes(r *record) bool {
	if !f.Asks() {
		return true
	}
	m := f.plans[r.plan]
	if !m.plan {
		return false
	}
	return f.fits(r, m) && f.mentioned(r, m)
}

func (f *filter) fits(r *record, m match) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return f.inState(r) && f.hasAge(r) && f.atStep(r, m) && f.hasCode(r)
}

// mentioned reports whether the attributes and the texts of r match f. takes calls it last, because formatting attributes may
// take long.
func (f *filter) mentioned(r *record, m match) bool {
	if f.Attr == "" && f.text == "" {
		return true
	}
	attrs := r.attributes() // without r.mu, for which an event of the run would wait
	if !f.hasAttr(attrs) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return f.hasText(r, m, attrs)
}

func (f *filter) inState(r *record) bool {
	switch f.State {
	case "":
		return true
	case "live":
		return r.end == nil
	case "ended":
		return r.end != nil
	case "value":
		return r.end != nil && r.end.code == ""
	case "failed":
		return r.end != nil && r.end.code != ""
	default:
		return r.end == nil && r.steps.standing[stateIndex(state(f.State))] > 0
	}
}

// hasAge reports whether the run has lived for at least f.Age.
func (f *filter) hasAge(r *record) bool {
	if f.Age <= 0 {
		return true
	}
	if r.end != nil {
		return r.end.took >= f.Age
	}
	return f.now-r.begun >= f.Age
}

func (f *filter) atStep(r *record, m match) bool {
	if f.Step == "" {
		return true
	}
	if r.end != nil {
		return r.end.path != "" && (inPlan(r.end.path) == f.Step || within(r.end.label, strings.ToLower(f.Step)))
	}
	for _, i := range m.steps {
		if i < len(r.steps.live) && r.steps.live[i] > 0 {
			return true
		}
	}
	return false
}

func (f *filter) hasCode(r *record) bool {
	return f.Code == "" || r.end != nil && r.end.code == fault.Code(f.Code)
}

func (f *filter) hasAttr(attrs []attrView) bool {
	if f.Attr == "" {
		return true
	}
	for _, a := range attrs {
		if a.Key == f.Attr || a.Key == f.attr.Key && a.Value == f.attr.Value || a.Key+"="+a.Value == f.Attr {
			return true
		}
	}
	return false
}

// attrAsked splits "key=value". Both texts are cut off like the keys and values of attributes.
func attrAsked(attr string) attrView {
	key, value, _ := strings.Cut(attr, "=")
	return attrView{clip(key, maxAttr), clip(value, maxAttr)}
}

// hasText reports whether f.text is "", the number of the run, or a part of one of these: the name of the plan, an attribute, the
// error of the run, or the label of one of the first maxStands steps where the run stands.
func (f *filter) hasText(r *record, m match, attrs []attrView) bool {
	if f.text == "" || m.text || strconv.FormatUint(r.run.ID, 10) == f.text {
		return true
	}
	pair := strings.Contains(f.text, "=")
	for _, a := range attrs {
		if mentions(a.Value, f.text) || pair && mentions(a.Key+"="+a.Value, f.text) {
			return true
		}
	}
	if r.end != nil {
		return mentions(string(r.end.code), f.text) || mentions(r.end.brief, f.text)
	}
	for s, n := r.steps.first, 0; s != nil && n < maxStands; s, n = s.next, n+1 {
		if mentions(s.label, f.text) {
			return true
		}
	}
	return false
}
