package sqlite

import (
	"fmt"
	"slices"
	"sync"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
)

// limit bounds how many bodies of a name are called at once.
type limit struct {
	mu     sync.Mutex
	most   int
	inside int      // that are being called, or about to be
	queue  []queued // those that wait, in their order
}

// queued is a call that waits for its turn. It may have lost its run or its step meanwhile.
type queued struct {
	r *run
	w *work
}

// limit makes the limits of Options.
func (f *File) limit() error {
	f.limits = make(map[string]*limit)
	for name, most := range f.options.Limits {
		if most < 1 {
			return fault.New(fault.InvalidRequest, fmt.Sprintf("sqlite.Options.Limits: the limit of %q is %d", name, most))
		}
		if !f.calls(name) {
			return fault.New(fault.InvalidRequest, fmt.Sprintf("sqlite.Options.Limits: no body has the name %q", name))
		}
		f.limits[name] = &limit{most: most}
	}
	return nil
}

// calls reports whether a body has that name.
func (f *File) calls(name string) bool {
	for _, own := range f.flows {
		if slices.ContainsFunc(own.d.Known, func(k engine.Known) bool { return k.Body.Call != nil && k.Place.Name == name }) {
			return true
		}
	}
	return false
}

// enter reports whether w may be called now. If not, run.turn is called when it is its turn, or the step has been left, and fails.
func (l *limit) enter(r *run, w *work) bool {
	w.stop = func(cause error) { r.write(failed, w.key, encodeError(r.own.d, cause)) }
	if w.stopped != nil {
		w.stop(w.stopped)
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inside == l.most {
		l.queue = append(l.queue, queued{r, w})
		return false
	}
	l.inside++
	return true
}

// leave lets the next one in.
func (l *limit) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		l.inside--
		return
	}
	next := l.queue[0]
	l.queue[0] = queued{}
	l.queue = l.queue[1:]
	next.r.post(message{do: func(r *run) { r.turn(next.w, l) }})
}

// turn has the body called whose turn it is, if the run still waits for it.
func (r *run) turn(w *work, l *limit) {
	if r.m == nil || r.m.works[w.key] != w || w.stopped != nil || r.called[w.key] != nil {
		l.leave()
		return
	}
	r.invoke(w, l)
}
