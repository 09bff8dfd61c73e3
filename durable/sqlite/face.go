package sqlite

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
)

// face implements engine.Engine for a File. It is a separate type, so that users of a File don't see these methods.
type face struct{ f *File }

// await writes o, and returns after the commit. If ctx ends first, o may be written nevertheless.
func (f *File) await(ctx context.Context, o op) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if misused := useOf(ctx); misused != nil {
		return misused
	}
	reply := make(chan error, 1)
	o.reply = reply
	f.writer.put(o)
	select {
	case err := <-reply:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-f.writer.ended:
		select {
		case err := <-reply:
			return err
		default:
			return errClosed
		}
	}
}

// Start implements engine.Engine.
func (a face) Start(ctx context.Context, d *engine.Definition, id string, in any) error {
	own := a.f.flows[d.Name]
	if own == nil || own.d != d {
		return fault.New(fault.InvalidRequest, "the workflow "+d.Name+" was not given to sqlite.Open")
	}
	input := reflect.New(d.Root.In).Elem()
	if v := reflect.ValueOf(in); v.IsValid() {
		input.Set(v)
	}
	data, err := engine.Marshal("the input of the run", input)
	if err != nil {
		return err
	}
	s := start{id: id, own: own, in: data}
	if err = a.f.await(ctx, op{write: s.write, written: func() { a.f.began(&s) }}); err != nil {
		return err
	}
	return s.other
}

// send writes an event that comes from outside, and gives it to the run with the given id.
func (f *File) send(ctx context.Context, id string, k kind, name string, data []byte) error {
	var run int64
	var e event
	var none error
	err := f.await(ctx, op{
		write: func(s *session) (err error) {
			none = nil
			if run, e, err = s.sent(id, k, name, data); errors.Is(err, engine.ErrNoRun) {
				none, err = err, nil // not a reason to repeat the transaction
			}
			return err
		},
		written: func() {
			if none == nil {
				f.post(run, message{e: e})
			}
		},
	})
	if err != nil {
		return err
	}
	return none
}

// Signal implements engine.Engine.
func (a face) Signal(ctx context.Context, id, name string, v reflect.Value) error {
	data, err := engine.Marshal("the signal", v)
	if err != nil {
		return err
	}
	return a.f.send(ctx, id, signalled, name, data)
}

// Cancel implements engine.Engine.
func (a face) Cancel(ctx context.Context, id string) error {
	err := a.f.send(ctx, id, cancelled, "", nil)
	if errors.Is(err, engine.ErrNoRun) { // the run may have ended
		_, err = a.f.find(id)
	}
	return err
}

// Query implements engine.Engine.
func (a face) Query(ctx context.Context, d *engine.Definition, id, what string) (text string, err error) {
	o, err := a.f.find(id)
	if err != nil {
		return "", err
	}
	stands := new(engine.Stands)
	var failed error
	tree, now := engine.Resolved(d.Plans[""], func(string) engine.Version { return engine.Present }), time.Duration(0)
	answer := func() {
		if what == engine.QueryPlace {
			text = stands.Text()
			return
		}
		text, failed = stands.Picture(tree, now)
	}
	if o.state != lives {
		answer()
		return text, failed
	}
	done := make(chan struct{})
	a.f.post(o.run, message{do: func(r *run) {
		switch {
		case r.awake():
			stands, now, tree = r.m.stands, r.m.now(r.f.clock.now()), r.m.chosen()
			answer()
		case r.stuck != nil:
			failed = fault.Wrap(fault.InternalError, "the run stands still", r.stuck)
		case r.unread != nil:
			failed = fault.Wrap(fault.InternalError, "the run can't be read now", r.unread)
		}
		close(done)
	}})
	select {
	case <-done:
		return text, failed
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-a.f.writer.ended:
		return "", errClosed
	}
}
