package debug

import (
	"slices"

	"github.com/futoin-go/asyncsteps/observe"
)

// Bounds of what is kept of the streams of one run.
const (
	maxStreams = 20
	maxStages  = 100 // of one stream
)

// streamView tells how far a stream was at its last event. A streamView that is in a record doesn't change.
type streamView struct {
	Path  string `json:"path"` // path of the sink, which is the step that runs the stream
	Label string `json:"label"`
	At    span   `json:"at"`              // time of the event
	Ended bool   `json:"ended,omitempty"` // the stream has ended

	Stages []stageView `json:"stages"`
	More   int         `json:"more,omitempty"` // how many stages, the first ones, are left out

	older, newer progressMark // rates cover the time since older; see measure
}

// stageView tells how far a stage of a stream is, in numbers of elements: see observe.Stage.
type stageView struct {
	Label  string  `json:"label"`
	Kind   string  `json:"kind"`
	In     int64   `json:"in"`
	Out    int64   `json:"out"`
	Dead   int64   `json:"dead,omitempty"`
	Failed int64   `json:"failed,omitempty"`
	Lost   int64   `json:"lost,omitempty"`
	Held   int64   `json:"held"`
	Rate   float64 `json:"rate"` // elements a second: lately, see speedWindow, or over the whole time of a stream that has ended
}

// Speed returns the rate as text.
func (s stageView) Speed() string { return threeDigits(s.Rate) }

// progress keeps the counts of the stream of e, in place of earlier ones.
func (r *record) progress(e observe.Event) {
	stages, last := e.Stages()
	v := &streamView{Path: e.Path(), Label: e.Label(), At: span(e.At), Ended: last, More: max(0, len(stages)-maxStages)}
	for _, s := range stages[v.More:] { // the last stage is the sink
		v.Stages = append(v.Stages, stageView{s.Label(), s.Kind, s.In, s.Out, s.Dead, s.Failed, s.Lost, s.Held, s.Rate})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	at := slices.IndexFunc(r.streams, func(s *streamView) bool { return s.Path == v.Path })
	if at >= 0 {
		v.measure(r.streams[at])
	} else {
		v.measure(nil)
	}
	switch {
	case at >= 0:
		r.streams[at] = v
	case len(r.streams) < maxStreams:
		r.streams = append(r.streams, v)
	default: // a stream that has ended makes room, or else the oldest stream
		at = max(0, slices.IndexFunc(r.streams, func(s *streamView) bool { return s.Ended }))
		r.streams = append(slices.Delete(r.streams, at, at+1), v)
	}
}
