package debug

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// runView is a run as pages show it.
type runView struct {
	ID      uint64     `json:"id"`
	Name    string     `json:"name"`
	Site    fault.Site `json:"site"`
	Parent  uint64     `json:"parent,omitempty"`
	Started time.Time  `json:"started"`
	Age     span       `json:"age"` // until now, also if it has ended

	// Stands are the innermost live steps, in the order of the plan. MoreSteps is
	// how many live steps are left out.
	Stands    []stepView `json:"stands,omitempty"`
	MoreSteps int        `json:"moreSteps,omitempty"`

	// End is how it has ended; nil if it lives.
	End *endView `json:"end,omitempty"`
}

// stepView is a live step.
type stepView struct {
	Path  string     `json:"path"`
	Label string     `json:"label"`
	Kind  string     `json:"kind"`
	In    string     `json:"in,omitempty"` // of a step without a name: the name of what holds it
	State state      `json:"state"`
	Guard string     `json:"guard,omitempty"` // that it is a section of
	For   span       `json:"for"`             // so long in that state
	Site  fault.Site `json:"site,omitzero"`   // known of steps that wait
}

// endView is the end of a run.
type endView struct {
	Took  span       `json:"took"`
	Ago   span       `json:"ago"`
	Code  fault.Code `json:"code,omitempty"` // "" is success
	Error string     `json:"error,omitempty"`
	Path  string     `json:"path,omitempty"` // of the step that failed
}

// view shows at most limit of the steps at which the run stands.
func (s snapshot) view(limit int) runView {
	v := runView{
		ID: s.run.ID, Name: s.run.Name(), Site: s.run.Site(), Parent: s.run.Parent,
		Started: s.run.Started, Age: span(s.age), MoreSteps: s.others,
	}
	stands := leaves(s.steps)
	if n := len(stands); n > limit {
		v.MoreSteps += n - limit
		stands = stands[:limit]
	}
	for _, path := range stands {
		v.Stands = append(v.Stands, s.step(path))
	}
	if e := s.end; e != nil {
		v.End = &endView{Took: span(e.took), Ago: span(max(0, s.now-e.at)), Code: e.code, Error: e.brief, Path: e.path}
	}
	return v
}

// step is the live step at path.
func (s snapshot) step(path string) stepView {
	at := s.steps[path]
	return stepView{
		Path: path, Label: at.label, Kind: at.kind, In: s.nameAround(path),
		State: at.state, Guard: at.guard, For: span(max(0, s.age-at.since)), Site: at.site,
	}
}

// nameAround is the name of the innermost live step with a name that holds the
// one at path, "" if that has a name itself.
func (s snapshot) nameAround(path string) string {
	if at := s.steps[path]; at.label != at.kind {
		return ""
	}
	for path = holder(path); path != ""; path = holder(path) {
		if outer := s.steps[path]; outer.label != outer.kind {
			return outer.label
		}
	}
	return ""
}
