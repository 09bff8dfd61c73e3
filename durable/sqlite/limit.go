package sqlite

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
)

// KeyLimit is a limit for each key of the inputs of a body. A key may be a tenant. [PerKey] makes a KeyLimit.
type KeyLimit struct {
	most int
	in   reflect.Type
	key  func(in reflect.Value) string // nil in the zero KeyLimit, or if PerKey was given a nil key
}

// PerKey makes a limit for Options.KeyLimits. The parameter most is how many bodies whose inputs have the same key may be called at
// once. key is called with the input of each call, from several goroutines; it must not block. If it panics, the step fails with
// fault.InternalError. [Open] refuses a limit below one, and a nil key.
func PerKey[In any](most int, key func(in In) string) KeyLimit {
	l := KeyLimit{most: most, in: reflect.TypeFor[In]()}
	if key != nil {
		l.key = func(in reflect.Value) string {
			v, _ := reflect.TypeAssert[In](in) // a nil interface is the zero In
			return key(v)
		}
	}
	return l
}

// limit bounds how many bodies with a name are called at once, or with a key function how many for each key.
type limit struct {
	most int
	key  func(in reflect.Value) string // nil if all calls share one place

	mu     sync.Mutex
	places map[string]*place // the places in use, by their keys
}

type place struct {
	limit  *limit
	key    string
	inside int      // bodies that are being called, or about to be
	queue  []queued // calls that wait, in their order
}

// queued is a call that waits for a place. When there is room, the run may not want the call any more.
type queued struct {
	r    *run
	w    *work
	held []*place // the places in the limits that have let the call in already
}

// limit makes the limits of Options. Those with keys come first, so that a call that waits for its key takes no place from others.
func (f *File) limit() error {
	f.limits = make(map[string][]*limit)
	for name, l := range f.options.KeyLimits {
		for _, in := range f.inputs(name) {
			if l.key != nil && in != l.in {
				return fault.New(fault.InvalidRequest, fmt.Sprintf("sqlite.Options.KeyLimits: the limit of %q is for inputs of the type %v, and not %v", name, l.in, in))
			}
		}
		if l.key == nil {
			return fault.New(fault.InvalidRequest, fmt.Sprintf("sqlite.Options.KeyLimits: the limit of %q has no key", name))
		}
		if err := f.bound(name, &limit{most: l.most, key: l.key}); err != nil {
			return err
		}
	}
	for name, most := range f.options.Limits {
		if err := f.bound(name, &limit{most: most}); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) bound(name string, l *limit) error {
	if l.most < 1 {
		return fault.New(fault.InvalidRequest, fmt.Sprintf("sqlite.Options: the limit of %q is %d", name, l.most))
	}
	if len(f.inputs(name)) == 0 {
		return fault.New(fault.InvalidRequest, fmt.Sprintf("sqlite.Options: there is a limit of %q, and no body has that name", name))
	}
	l.places = make(map[string]*place)
	f.limits[name] = append(f.limits[name], l)
	return nil
}

func (f *File) inputs(name string) (all []reflect.Type) {
	for _, own := range f.flows {
		for _, k := range own.d.Known {
			if k.Body.Call != nil && k.Place.Name == name {
				all = append(all, k.Body.In)
			}
		}
	}
	return all
}

// admit calls the body of w once all limits of its name have let it in. held are the places in those that have done so already. If
// the next limit has no room, run.turn goes on later. If a key function panics, the step fails.
func (r *run) admit(w *work, held []*place) {
	for _, l := range r.f.limits[w.Name][len(held):] {
		key := ""
		if l.key != nil {
			if err := engine.Shielded(func() error { key = l.key(w.In); return nil }); err != nil {
				r.write(failed, w.key, encodeError(r.own.d, err))
				return
			}
		}
		p := l.enter(key, queued{r, w, held})
		if p == nil {
			return
		}
		held = append(held, p)
	}
	r.invoke(w, held)
}

// enter returns a place for key if there is room for one more. Otherwise it queues q and returns nil.
func (l *limit) enter(key string, q queued) *place {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.places[key]
	if p == nil {
		p = &place{limit: l, key: key}
		l.places[key] = p
	}
	if p.inside == l.most {
		p.queue = append(p.queue, q)
		return nil
	}
	p.inside++
	return p
}

// leave gives up the places in held, and lets in calls that wait for them.
func leave(held []*place) {
	for _, p := range slices.Backward(held) {
		p.leave()
	}
}

func (p *place) leave() {
	p.limit.mu.Lock()
	defer p.limit.mu.Unlock()
	if len(p.queue) == 0 {
		if p.inside--; p.inside == 0 {
			delete(p.limit.places, p.key)
		}
		return
	}
	next := p.queue[0]
	p.queue[0] = queued{}
	p.queue = p.queue[1:]
	next.r.post(message{do: func(r *run) { r.turn(next.w, append(next.held, p)) }})
}

// turn goes on with the next limit after one has let w in. If the run doesn't want the call any more, turn gives up the places.
func (r *run) turn(w *work, held []*place) {
	if r.m == nil || r.m.works[w.key] != w || w.stopped != nil || r.called[w.key] != nil {
		leave(held)
		return
	}
	r.admit(w, held)
}
