package observe

import "github.com/futoin-go/asyncsteps/internal/frame"

// paths caches the paths of the live steps of a run, by the frames of the steps.
type paths map[*frame.Frame]string

func (p paths) of(e Event) string {
	if e.frame == nil {
		return ""
	}
	path, known := p[e.frame]
	if !known {
		path = e.Path()
	}
	if e.Kind == StepEnd {
		delete(p, e.frame) // the frame may be used for another step
	} else {
		p[e.frame] = path
	}
	return path
}
