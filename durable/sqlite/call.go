package sqlite

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
)

type call struct {
	r      *run
	d      *engine.Definition
	key    string          // the key of the call, without the id of the run
	given  context.Context //nolint:containedctx // the context that the body was given; a run that the body starts has another one
	cancel context.CancelCauseFunc
	held   []*place // the places that the call takes in the limits of its body

	lost   atomic.Bool // the engine has ended the context of the body, or can't write its result, so the plan doesn't get the body's error
	inside atomic.Bool // the body has its turn, see turn
	wrote  bool        // the result has been written with the effects of the body
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// useOf returns an error if ctx belongs to a body of Transact whose turn it is. The writer waits for such a body, so the body must not
// wait for the writer.
func useOf(ctx context.Context) error {
	if c := callOf(ctx); c != nil && c.inside.Load() {
		return fault.New(fault.InvalidRequest, "the body of sqlite.Transact may use nothing of the file but its Tx")
	}
	return nil
}

// begin starts the run of a named flow.Call, or calls the body of w when its limits let it in. If the body is still being called
// under the same key, begin doesn't call it: returned may do so.
func (r *run) begin(w *work) {
	if w.Body.Call == nil {
		r.enter(w)
		return
	}
	if r.called[w.key] != nil {
		return
	}
	if err := engine.Check("the input", w.In); err != nil {
		r.write(failed, w.key, encodeError(r.m.d, err))
		return
	}
	if len(r.f.limits[w.Name]) > 0 { // the body may have to wait for a limit, and the step may be left meanwhile
		w.stop = func(cause error) { r.write(failed, w.key, encodeError(r.own.d, cause)) }
		if w.stopped != nil {
			w.stop(w.stopped)
			return
		}
	}
	r.admit(w, nil)
}

// invoke calls the body of w, after all limits have let w in. Once the file is being shut down or closed it does nothing.
func (r *run) invoke(w *work, held []*place) {
	if !r.f.occupy() {
		return
	}
	ctx, cancel := context.WithCancelCause(engine.WithKey(w.Context, r.id+w.key))
	c := &call{r: r, d: r.m.d, key: w.key, cancel: cancel, held: held}
	w.quit, w.stop = c.quit, nil
	if r.called == nil {
		r.called = make(map[string]*call)
	}
	r.called[w.key] = c
	c.given = context.WithValue(ctx, callKey{}, c)
	engine.Call(c.given, w.Body, w.In, c.end)
}

// quit ends the context of the body when the run leaves memory.
func (c *call) quit() {
	c.lost.Store(true)
	c.cancel(errClosed)
}

// end is called on the goroutine of the body, with its result.
func (c *call) end(out reflect.Value, err error) {
	defer c.r.f.leave()
	c.cancel(nil)
	defer leave(c.held)
	again := false
	switch {
	case c.wrote:
	case err != nil && c.lost.Load():
		again = true
	default:
		c.write(out, err)
	}
	// The result of a body of Transact was posted before, so the run handles it first.
	c.r.post(message{do: func(r *run) { r.returned(c, again) }})
}

// returned is called when the body of c has returned. If again is set, the call has no result. The body is called again if the run has
// come back to memory meanwhile and still waits for it.
func (r *run) returned(c *call, again bool) {
	delete(r.called, c.key)
	if !again || r.m == nil {
		return
	}
	if w := r.m.works[c.key]; w != nil {
		r.begin(w)
	}
}

func (c *call) write(out reflect.Value, err error) {
	k, data := completed, []byte(nil)
	if err == nil {
		data, err = engine.Marshal("the result", out)
	}
	if err != nil {
		k, data = failed, encodeError(c.d, err)
	}
	c.r.put(k, c.key, data, c.wanted)
}

// wanted reports whether the result may be written. Once the run has left memory it may have ended, or been deleted.
func (c *call) wanted(s *session) (bool, error) {
	if !c.lost.Load() {
		return true, nil
	}
	state, _, err := s.stateOf(c.r.n)
	return state == lives, err
}

// enter starts the run of a named flow.Call, or finds the one that was started before this run was loaded.
func (r *run) enter(w *work) {
	in, err := engine.Marshal("the input", w.In)
	if err != nil {
		r.write(failed, w.key, encodeError(r.m.d, err))
		return
	}
	f, d := r.f, r.m.d
	s := start{id: r.id + w.key, own: r.own, body: fmt.Sprint(d.Bodies[w.Body].Name), outer: r.n, call: w.key, in: in}
	r.queue(op{
		write: s.write,
		written: func() {
			if !s.mine {
				r.write(failed, w.key, encodeError(d, engine.Taken(s.id)))
				return
			}
			f.began(&s)
		},
	})
	w.stop = func(error) { f.stopCall(s.id) }
	if w.stopped != nil {
		w.stop(w.stopped)
	}
}

func (f *File) stopCall(id string) {
	var run int64
	var e event
	f.writer.put(op{
		write: func(s *session) (err error) {
			if run, e, err = s.sent(id, cancelled, "", nil); errors.Is(err, engine.ErrNoRun) {
				run, err = 0, nil
			}
			return err
		},
		written: func() {
			if run != 0 {
				f.post(run, message{e: e})
			}
		},
	})
}
