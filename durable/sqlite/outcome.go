package sqlite

import (
	"context"
	"reflect"
	"slices"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
)

// outcome describes how a run has ended.
type outcome struct {
	name string // the name of the workflow, or of the flow.Call whose run it is
	kind kind   // succeeded or broken
	data []byte // the result or the error
}

// Result implements engine.Engine. If the run lives, Result waits, and the run hands it the outcome when it ends.
func (a face) Result(ctx context.Context, d *engine.Definition, id string, out any) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if misused := useOf(ctx); misused != nil {
		return misused
	}
	ended, forget := a.f.watch(id) // first, because the run may end while find reads the file
	defer forget()
	o, err := a.f.find(id)
	if err != nil {
		return err
	}
	if o.state != lives {
		end, err := a.f.outcomeOf(o)
		if err != nil {
			return err
		}
		return end.give(d, id, out)
	}
	select {
	case end, ok := <-ended:
		if !ok {
			return errClosed
		}
		return end.give(d, id, out)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// watch returns a channel that gets the outcome of the run with the given id when it ends. The channel is closed with the file.
func (f *File) watch(id string) (ended <-chan outcome, forget func()) {
	c := make(chan outcome, 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiters[id] = append(f.waiters[id], c)
	return c, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		rest := slices.DeleteFunc(f.waiters[id], func(w chan outcome) bool { return w == c })
		if f.waiters[id] = rest; len(rest) == 0 {
			delete(f.waiters, id)
		}
	}
}

// over gives the outcome of the run with the given id to the callers and schedules that wait for its end.
func (f *File) over(id string, end outcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.waiters[id] {
		w <- end
	}
	delete(f.waiters, id)
	f.schedules.ended(id)
}

func (f *File) outcomeOf(o runRow) (outcome, error) {
	defer f.lookUp()()
	e, err := eventOf(f.readers.end.QueryRowContext(context.Background(), o.run, int(succeeded), int(broken)), o.run)
	return outcome{o.name(), e.kind, e.data}, err
}

// give stores the result of the run in out, a pointer, or returns its error. id is for errors.
func (end outcome) give(d *engine.Definition, id string, out any) error {
	to := reflect.ValueOf(out).Elem()
	if err := d.Gives(id, end.name, to.Type()); err != nil {
		return err
	}
	if end.kind == broken {
		return decodeError(d, end.data)
	}
	v, err := decode(end.data, to.Type())
	if err == nil {
		to.Set(v)
	}
	return err
}
