package debug

import (
	"fmt"
	"html/template"
	"net/http"
	"strconv"

	"github.com/futoin-go/asyncsteps/flow"
)

// oneRunView is the page of a run.
type oneRunView struct {
	runView

	Detail   string      `json:"detail,omitempty"` // the error with %+v
	Children []runView   `json:"children,omitempty"`
	Events   []happening `json:"events"`  // the last ones, oldest first
	Earlier  int         `json:"earlier"` // events that aren't kept

	// Plan is left out if it has more than maxParts parts.
	Plan  *flow.Tree `json:"plan,omitempty"`
	Parts int        `json:"parts"`

	Outline   string       `json:"-"` // of the plan
	Picture   template.URL `json:"-"`
	NoPicture string       `json:"-"` // why not
}

func (h *Handler) oneRun(r *http.Request) (any, error) {
	id, err := strconv.ParseUint(r.URL.Query().Get("id"), 10, 64)
	if err != nil {
		return nil, errBadRun
	}
	found := h.book.find(id)
	if found == nil {
		return nil, errNoRun
	}
	s := found.snapshot()
	v := &oneRunView{runView: s.view(maxSteps), Events: s.events, Earlier: s.seen - len(s.events), Plan: s.run.Plan()}
	for range v.Plan.All() {
		v.Parts++
	}
	if v.Parts > maxParts {
		v.Plan = nil
	}
	if s.end != nil {
		v.Detail = s.end.detail
	}
	live, _ := h.book.running()
	for _, other := range live {
		if other.run.Parent == id {
			v.Children = append(v.Children, other.snapshot().view(maxStands))
		}
	}
	return v, nil
}

// Plans have any size. Those that nobody can read aren't shown.
const (
	maxParts = 1000 // as text
	maxDrawn = 300  // as a picture
)

// draw adds what isn't for JSON.
func (v *oneRunView) draw() {
	if v.Plan == nil {
		v.NoPicture = fmt.Sprintf("The plan has %d parts, too many to look at.", v.Parts)
		return
	}
	mark(v.Plan, v.runView)
	v.Outline = outline(v.Plan)
	if v.Parts > maxDrawn {
		v.NoPicture = fmt.Sprintf("There is no picture: it would have %d parts.", v.Parts)
		return
	}
	v.Picture, v.NoPicture = picture(v.Plan)
}
