package timeline

import (
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/observe"
)

// story is one run as a list of what each step did. Times count from the start of the picture's first run.
type story struct {
	run   observe.Run
	start time.Duration
	end   time.Duration // the time of the last known event
	ended bool
	err   error
	lost  int
	marks []mark // of the run as a whole
	lives []*life
}

// life is one execution of a step, from its start to its end. The label can be shown as it is.
type life struct {
	outer *life // life of the step around this one, or nil
	path  string
	label string
	from  time.Duration
	to    time.Duration
	ended bool // the end is known
	err   error
	waits []wait
	marks []mark
}

// wait is a period in which the step waited.
type wait struct {
	from, to time.Duration
	queued   bool // the step waited in the queue of a guard, not for a completion
}

// mark is an event without duration.
type mark struct {
	at      time.Duration
	kind    observe.Kind
	outcome fault.Outcome
	note    string
	err     error
}

// tell makes stories of runs, and returns the time at which the last one ends.
func tell(runs []observe.Recording) (stories []*story, end time.Duration) {
	zero := first(runs)
	for i := range runs {
		s := newStory(&runs[i], runs[i].Run.Started.Sub(zero))
		stories = append(stories, s)
		end = max(end, s.end)
	}
	return stories, end
}

// first returns the time at which the first of the runs was started.
func first(runs []observe.Recording) time.Time {
	var zero time.Time
	for i, r := range runs {
		if i == 0 || r.Run.Started.Before(zero) {
			zero = r.Run.Started
		}
	}
	return zero
}

func newStory(r *observe.Recording, start time.Duration) *story {
	s := &story{run: r.Run, start: start, end: start, lost: r.Lost}
	live := make(map[string]*life) // by path; only very deep steps may have the same path while both live
	for _, e := range r.Entries {
		at := start + e.At
		s.end = at
		if e.Path == "" {
			s.happened(e, at)
			continue
		}
		l := live[e.Path]
		if e.Kind == observe.StepStart {
			l = &life{outer: holder(live, e.Path), path: e.Path, label: printable(e.Label()), from: at}
			live[e.Path] = l
			s.lives = append(s.lives, l)
		}
		if l != nil {
			l.happened(e, at)
		}
		if e.Kind == observe.StepEnd {
			delete(live, e.Path)
		}
	}
	for _, l := range live {
		l.stop(s.end)
	}
	return s
}

// holder returns the innermost live step around the step at path, or nil. It skips branches, which have paths but aren't steps.
func holder(live map[string]*life, path string) *life {
	for {
		slash := strings.LastIndexByte(path, '/')
		if slash < 0 {
			return nil
		}
		path = path[:slash]
		if l := live[path]; l != nil {
			return l
		}
	}
}

func (s *story) happened(e observe.Entry, at time.Duration) {
	if e.Kind == observe.RunEnd {
		s.ended, s.err = true, e.Err
		return
	}
	s.marks = append(s.marks, newMark(e, at))
}

func (l *life) happened(e observe.Entry, at time.Duration) {
	switch e.Kind {
	case observe.StepStart, observe.Progress: // the progress of streams isn't drawn
	case observe.Suspended, observe.Queued:
		l.waits = append(l.waits, wait{from: at, to: -1, queued: e.Kind == observe.Queued})
	case observe.Resumed:
		l.resume(at)
	case observe.StepEnd:
		l.stop(at)
		l.ended, l.err = true, e.Err
	default:
		l.marks = append(l.marks, newMark(e, at))
	}
}

func (l *life) resume(at time.Duration) {
	if n := len(l.waits); n > 0 && l.waits[n-1].to < 0 {
		l.waits[n-1].to = at
	}
}

func (l *life) stop(at time.Duration) {
	l.resume(at)
	l.to = at
}

func newMark(e observe.Entry, at time.Duration) mark {
	return mark{at: at, kind: e.Kind, outcome: e.Outcome, note: e.Note, err: e.Err}
}

// fiber returns the path of the innermost branch that holds the step at path, or "" in the main flow of the run.
func fiber(path string) string {
	dot := strings.LastIndexByte(path, '.')
	if dot < 0 {
		return ""
	}
	if slash := strings.IndexByte(path[dot:], '/'); slash >= 0 {
		return path[:dot+slash]
	}
	return path
}
