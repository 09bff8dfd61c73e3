package debug

import (
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// life is the time of one step from its start to its end, for timelines. Times count from the start of the run.
type life struct {
	path, label, kind string
	from, to          time.Duration // to is undefined while the step is live
	waits             []pause
	more              int // pauses beyond maxPauses
	attempt, most     int // for an attempt of a retry: its number, and how many there may be; otherwise 0
	code              fault.Code
	won               []int // the branches that decided a race
	held              bool  // listed steps were inside of the step
}

type pause struct {
	from, to time.Duration // to is below zero until the pause is over
	queued   bool          // the wait is for a guard; otherwise for something outside
}

const maxPauses = 20

func (l *life) turn(from, to state, at time.Duration) {
	if from != running {
		l.stop(at)
	}
	switch {
	case to == running:
	case len(l.waits) >= maxPauses:
		l.more++
	default:
		l.waits = append(l.waits, pause{from: at, to: -1, queued: to == queued})
	}
}

func (l *life) stop(at time.Duration) {
	if n := len(l.waits); n > 0 && l.waits[n-1].to < 0 {
		l.waits[n-1].to = at
	}
}

// inPlan returns the path that a step of a run has in the plan. There all elements of an input are one branch, each.N or tasks.N,
// and all elements of a stream are one branch, crew.N.
func inPlan(path string) string { return folded(path, "each.", "tasks.", "crew.") }

// ofElements returns path with the elements of a stream as one branch, crew.N.
func ofElements(path string) string { return folded(path, "crew.") }

func folded(path string, kinds ...string) string {
	for _, kind := range kinds {
		for from := 0; ; {
			at := strings.Index(path[from:], kind)
			if at < 0 {
				break
			}
			begin := from + at + len(kind)
			end := begin
			for end < len(path) && path[end] >= '0' && path[end] <= '9' {
				end++
			}
			if from+at > 0 && path[from+at-1] != '/' || end == begin {
				from = begin
				continue
			}
			path = path[:begin] + "N" + path[end:]
			from = begin
		}
	}
	return path
}
