package durable

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/tool"
)

// LocalLoop shuts down an engine that [Local] has made. Shutdown of the zero LocalLoop fails.
type LocalLoop struct{ l *localEngine }

// Shutdown ends the engine, as tool.Loop.Shutdown ends a loop: runs that are left when ctx ends are cancelled.
func (l LocalLoop) Shutdown(ctx context.Context) error {
	if l.l == nil {
		return errNoEngine
	}
	return l.l.loop.Shutdown(ctx)
}

// Local returns an engine on a loop of this process. Bodies are called on goroutines, and the named flow.Calls of the workflow are
// runs of their own, as on a server. Errors and values are passed as they are, but a value that other engines couldn't store is
// refused with [ErrUnstorable]. A panic in a body fails its step. [Grace] has no effect: a step that is left waits for its body
// without limit, unless the plan has a flow.Grace or a step.AwaitGrace. The results of runs are kept as long as the engine exists.
// Shut the loop down when the engine isn't needed any more.
func Local() (Engine, LocalLoop) {
	e := &localEngine{runs: make(map[string]*localRun)}
	e.loop = tool.Start(tool.Options{Grace: -1, Host: []tool.HostOption{tool.WithWork(e.take)}})
	return Engine{e}, LocalLoop{e}
}

type localEngine struct {
	loop *tool.Loop

	mu   sync.Mutex
	runs map[string]*localRun
}

// localRun is a run. A run that begins anew keeps its localRun.
type localRun struct {
	id   string
	def  *engine.Definition
	body *tool.Body // the plan of def, or a named flow.Call of that plan
	loop *tool.Loop
	done chan struct{}
	tell func(out reflect.Value, err error) bool // gives the result to the run that has called this one; nil if none has

	// The loop's goroutine owns these fields:
	generation int
	calls      engine.Counter
	events     int // calls and signals since the beginning
	signals    engine.Kept[localName, localSignal]
	given      bool // deliver has given a signal, and the run may not have reacted to it yet
	waiting    []*localBox
	stands     *engine.Stands // made anew by begin
	cancel     func(cause error) bool
	stopped    bool

	// These fields are set before done is closed:
	out reflect.Value
	err error
}

type localName struct {
	name string
	typ  reflect.Type
}

type localSignal struct {
	name string
	v    reflect.Value
}

type localBox struct {
	name string
	typ  reflect.Type
	give func(reflect.Value)
	gone bool
}

// has reports whether there is a run with the given id. It returns an error if that is a run of another workflow than d. The caller
// holds mu.
func (e *localEngine) has(id string, d *engine.Definition) (bool, error) {
	there := e.runs[id]
	if there == nil {
		return false, nil
	}
	return true, d.Started(id, there.workflow())
}

// Start implements engine.Engine.
func (e *localEngine) Start(ctx context.Context, d *engine.Definition, id string, in any) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	e.mu.Lock()
	there, err := e.has(id, d)
	e.mu.Unlock()
	if there {
		return err
	}
	r := e.run(id, d, d.Root)
	input := reflect.New(d.Root.In).Elem()
	if v := reflect.ValueOf(in); v.IsValid() {
		input.Set(v)
	}
	if err := engine.Check("the input of the run", input); err != nil { // calls code of the user, without the lock
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if there, err := e.has(id, d); there { // begun meanwhile
		return err
	}
	if _, err := e.loop.Immediate(func() { r.begin(input) }); err != nil {
		return err
	}
	e.runs[id] = r
	return nil
}

func (e *localEngine) run(id string, d *engine.Definition, body *tool.Body) *localRun {
	return &localRun{id: id, def: d, body: body, loop: e.loop, done: make(chan struct{}), calls: make(engine.Counter)}
}

// workflow returns the name that the workflow of the run would have on a server.
func (r *localRun) workflow() string {
	if r.body == r.def.Root {
		return r.def.Name
	}
	name, _ := r.def.Bodies[r.body].Name.(string)
	return name
}

// begin begins the run, for the first time or anew. It is called on the loop.
func (r *localRun) begin(in reflect.Value) {
	r.stands = &engine.Stands{Host: r.loop.Host()}
	ctx := observe.With(engine.With(context.Background(), r), r.stands)
	ended := false
	cancel := r.body.Start(ctx, r.loop, in, func(out reflect.Value, err error) {
		ended = true
		r.end(out, err)
	})
	if ended {
		return
	}
	r.cancel = cancel
	if r.stopped {
		cancel(engine.ErrCancelled)
	}
}

func (r *localRun) end(out reflect.Value, err error) {
	in, more := next(out)
	switch {
	case err != nil:
	case more && !r.stopped:
		err = engine.Check("the input of the next beginning", in)
	default:
		err = engine.Check("the result of the run", out)
	}
	switch {
	case err != nil || !more:
	case r.stopped:
		err = engine.ErrCancelled
	default:
		r.generation++
		r.calls, r.events = make(engine.Counter), 0
		if _, err = r.loop.Immediate(func() { r.begin(in) }); err == nil {
			return
		}
	}
	r.unheard()
	r.out, r.err, r.cancel = out, err, nil
	close(r.done)
	if r.tell != nil {
		r.tell(out, err)
	}
}

func (r *localRun) unheard() {
	left := r.signals.All()
	if len(left) == 0 {
		return
	}
	_ = engine.Shielded(func() error { // the handler of the log is code of the user's
		for _, s := range left {
			slog.Default().Warn(engine.Unheard, "workflow", r.workflow(), "run", r.id, "signal", s.name, "type", s.v.Type().String())
		}
		return nil
	})
}

func (r *localRun) stop(cause error) {
	r.stopped = true
	if r.cancel != nil {
		r.cancel(cause)
	}
}

// Host implements engine.Run.
func (r *localRun) Host() *tool.Host { return r.loop.Host() }

// Receive implements engine.Run.
func (r *localRun) Receive(name string, typ reflect.Type, give func(reflect.Value)) (withdraw func()) {
	b := &localBox{name: name, typ: typ, give: give}
	r.waiting = append(r.waiting, b)
	_, _ = r.loop.Immediate(r.deliver) // a loop that has ended delivers nothing any more
	return func() { b.gone = true }
}

// Before implements engine.Run.
func (r *localRun) Before(string) bool { return false }

// Long implements engine.Run.
func (r *localRun) Long() bool { return r.events >= engine.LongEvents }

// deliver gives one signal to the first step that waits for it. The next one is given in a later turn: if this signal makes the run
// leave another waiting step, that step must not receive a signal, which would be lost.
func (r *localRun) deliver() {
	if r.given {
		return
	}
	r.waiting = slices.DeleteFunc(r.waiting, func(b *localBox) bool { return b.gone })
	for i, b := range r.waiting {
		s, ok := r.signals.Take(localName{b.name, b.typ})
		if !ok {
			continue
		}
		r.waiting = slices.Delete(r.waiting, i, i+1)
		b.give(s.v)
		r.given = true
		r.events++
		_, _ = r.loop.Immediate(func() {
			r.given = false
			r.deliver()
		})
		return
	}
}

// take calls the body of w on a goroutine. A named flow.Call becomes a run, whose id is the key of the call. take refuses work
// whose context has no localRun, and a flow.Call that isn't part of the workflow's plans.
func (e *localEngine) take(w tool.Work) (stop func(cause error), taken bool) {
	r, ours := engine.RunOf(w.Context).(*localRun)
	if !ours {
		return nil, false
	}
	if _, known := r.def.Bodies[w.Body]; w.Body.Call == nil && !known {
		return nil, false
	}
	if err := engine.Check("the input", w.In); err != nil {
		w.Done(reflect.Value{}, err)
		return nil, true
	}
	key := r.id + r.calls.Next(r.generation, w.Path, "")
	r.events++
	if w.Body.Call == nil {
		child := e.run(key, r.def, w.Body)
		child.tell = w.Done
		e.mu.Lock()
		there := e.runs[key] != nil
		if !there {
			e.runs[key] = child
		}
		e.mu.Unlock()
		if there {
			w.Done(reflect.Value{}, engine.Taken(key))
			return nil, true
		}
		child.begin(w.In)
		return child.stop, true
	}
	engine.Call(engine.WithKey(w.Context, key), w.Body, w.In, func(out reflect.Value, err error) {
		if err == nil {
			err = engine.Check("the result", out)
		}
		w.Done(out, err)
	})
	return nil, true
}

func (e *localEngine) find(id string) (*localRun, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.runs[id]; r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("%w: %q", ErrNoRun, id)
}

// Result implements engine.Engine.
func (e *localEngine) Result(ctx context.Context, d *engine.Definition, id string, out any) error {
	r, err := e.find(id)
	if err != nil {
		return err
	}
	to := reflect.ValueOf(out).Elem()
	if err = d.Gives(id, r.workflow(), to.Type()); err != nil {
		return err
	}
	select {
	case <-r.done:
		if r.err != nil {
			return r.err
		}
		to.Set(r.out)
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// on calls fn on the loop with the run that has the given id, and returns when fn has returned. If ctx ends first, fn may still be
// called later.
func (e *localEngine) on(ctx context.Context, id string, fn func(r *localRun)) error {
	r, err := e.find(id)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	if _, err = e.loop.Immediate(func() { defer close(done); fn(r) }); err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Cancel implements engine.Engine.
func (e *localEngine) Cancel(ctx context.Context, id string) error {
	return e.on(ctx, id, func(r *localRun) { r.stop(engine.ErrCancelled) })
}

// Signal implements engine.Engine.
func (e *localEngine) Signal(ctx context.Context, id, name string, v reflect.Value) error {
	err := engine.Check("the signal", v)
	if err != nil {
		return err
	}
	var ended error
	err = e.on(ctx, id, func(r *localRun) {
		select {
		case <-r.done:
			ended = fmt.Errorf("%w any more: %q has ended", ErrNoRun, id)
		default:
			r.signals.Add(localName{name, v.Type()}, localSignal{name, v})
			r.deliver()
		}
	})
	if err != nil {
		return err // the function may still be called, and set ended
	}
	return ended
}

// Query implements engine.Engine.
func (e *localEngine) Query(ctx context.Context, d *engine.Definition, id, what string) (string, error) {
	var text string
	var failed error
	err := e.on(ctx, id, func(r *localRun) {
		if what == engine.QueryPlace {
			text = r.stands.Text()
			return
		}
		text, failed = r.stands.Picture(engine.Resolved(d.Plans[""], func(string) engine.Version { return engine.Present }), e.loop.Host().Now())
	})
	if err != nil {
		return "", err // the function may still be called, and set text and failed
	}
	return text, failed
}
