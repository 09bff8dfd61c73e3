package op

import (
	"context"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool"
)

// BodyOf describes body, a function of a step, as work that a loop may take over.
func BodyOf[In, Out any](body func(context.Context, In) (Out, error)) *tool.Body {
	return &tool.Body{
		In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](),
		Call: func(ctx context.Context, in reflect.Value) (reflect.Value, error) {
			v, err := body(ctx, Unreflect[In](in))
			return Reflect(v), err
		},
	}
}

// Reflect returns v as a value of the type T, which may be an interface.
func Reflect[T any](v T) reflect.Value { return reflect.ValueOf(&v).Elem() }

// Unreflect returns the value of v as a T. It returns the zero T if v is the zero Value, can't be assigned to a T, or was
// read from an unexported field.
func Unreflect[T any](v reflect.Value) (out T) {
	set(&out, v)
	return out
}

// set stores v in *to and reports true, or reports false if Unreflect would find no T in v.
func set[T any](to *T, v reflect.Value) bool {
	t := reflect.TypeFor[T]()
	if !v.IsValid() || !v.CanInterface() || !v.Type().AssignableTo(t) {
		return false
	}
	if v.Type() == t {
		*to, _ = reflect.TypeAssert[T](v) // which doesn't allocate
		return true
	}
	var converted T
	reflect.ValueOf(&converted).Elem().Set(v)
	*to = converted
	return true
}

type job[Out any] struct {
	lazyContext // of the work

	run  *frame.Run
	slot *Wait[Out]
	gen  uint64
	stop func(cause error) // nil if there is nothing to stop, or abort has taken it
	over atomic.Bool       // done was called
}

// Offer offers body to the loop of f. It reports true if the loop takes body over, or has completed the work already: then
// slot waits for the result. If the loop panics, the step fails, unless the work was completed before: then the panic is
// reported.
func Offer[In, Out any](f *frame.Frame, slot *Wait[Out], body *tool.Body, grace time.Duration, in In) (taken bool) {
	j := &job[Out]{lazyContext: lazyContext{outer: f.Outer()}, run: f.Run(), slot: slot}
	j.gen = slot.Hire(f, j.abort, grace)
	i := f.Info()
	w := tool.Work{
		Body: body, Kind: i.Kind, Name: i.Name, Path: f.Path(), Site: i.Site,
		Context: &j.lazyContext, In: Reflect(in), Done: j.done,
	}
	usercode.Protect(func() { j.stop, taken = j.run.Host().Work(w) }, func(broken error) {
		if broken != nil {
			j.breaks(fault.Wrap(fault.InternalError, "the loop broke off when it was given the work of a step", broken))
		}
	})
	if taken = taken || j.over.Load(); !taken {
		j.cancel(nil)
		_ = slot.Close(f) // no error is lost: nothing has completed the wait
	}
	return taken
}

// breaks fails the step with err, or reports err if the work was completed before.
func (j *job[Out]) breaks(err error) {
	if j.over.Load() {
		j.run.Host().Report(err)
		return
	}
	j.done(reflect.Value{}, err)
}

// abort ends the context of the work. As soon as the machine is between two moves, it also tells the loop to stop the work,
// unless the work is over by then.
func (j *job[Out]) abort(cause error) {
	j.cancel(cause)
	stop := j.stop
	if stop == nil {
		return
	}
	j.stop = nil
	j.run.Later(func() {
		if !j.over.Load() {
			j.tell(stop, cause)
		}
	})
}

// tell calls stop, and reports it if stop panics or ends its goroutine.
func (j *job[Out]) tell(stop func(cause error), cause error) {
	usercode.Protect(func() { stop(cause) }, func(broken error) {
		if broken != nil {
			j.run.Host().Report(fault.Wrap(fault.InternalError, "the work of a step broke off when it was told to stop", broken))
		}
	})
}

// done is the Done function of the Work.
func (j *job[Out]) done(out reflect.Value, err error) (ok bool) {
	j.over.Store(true)
	var v Out
	switch {
	case err != nil:
		ok = j.slot.Fail(j.gen, err)
	case set(&v, out):
		ok = j.slot.Succeed(j.gen, v)
	default:
		j.slot.Fail(j.gen, fault.New(fault.InternalError, "the loop gave the work of a step a result of another type"))
	}
	j.slot.Finish(j.gen)
	j.cancel(nil)
	return ok
}
