package op

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/mapkey"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/private"
	"github.com/futoin-go/asyncsteps/tool"
)

// Giver provides the values that steps of [Ask] ask for. Runs on any loops call its methods, each
// run on the goroutine of its loop.
type Giver[K, S, V any] interface {
	// Find returns the value of k, or the error that is kept instead of a value; found is
	// false if there is neither.
	Find(at Spot, k K) (v V, found bool, err error)
	// Join is called after Find has found nothing. It answers as Find does, fails the step with err, or makes
	// the step wait for k, by found = false and a nil err. Then the giver may complete the step through the Done of the
	// [Answer] in a. The wait is over when the step is completed, or when Leave of a is called.
	Join(at Spot, a *S, k K) (v V, found bool, err error)
}

// Asker is the state of a [Giver] for a step that waits: a struct that embeds an [Answer]. Once Leave has
// returned or the step was completed, another step may use the memory of the Asker. Leave is called, on the
// loop, if the step is left while it waits.
type Asker[S, V any] interface {
	plan.Stater[S]
	Reply() *Answer[V]
	Leave()
}

// Answer is the wait of a step for the value that it has asked for.
type Answer[V any] struct {
	slot Wait[V] // not embedded: Wait.Keeps would then be a method of the Asker, which may have more to drop than the Wait
	gen  uint64
}

// Reply returns a.
func (a *Answer[V]) Reply() *Answer[V] { return a }

// Clear drops a value that nobody took.
func (a *Answer[V]) Clear() { a.slot.Clear() }

// Done returns the Done that completes the step. Call it in [Giver.Join], or while the step can't be left.
func (a *Answer[V]) Done() Done[V] { return Done[V]{&a.slot, a.gen} }

// Done completes a step that waits. The first completion counts, unless a deterministic loop refuses it. A completion after
// the end of the step does nothing. Any goroutine may call its methods.
type Done[V any] struct {
	slot *Wait[V]
	gen  uint64
}

// Succeed completes the step with v.
func (d Done[V]) Succeed(v V) { d.slot.Succeed(d.gen, v) }

// Fail completes the step with err, which must not be nil.
func (d Done[V]) Fail(err error) { d.slot.Fail(d.gen, err) }

// Spot is the place where a step asks. It is valid during the call of the [Giver] that it is passed to.
type Spot struct{ f *frame.Frame }

// Context returns the context around the step.
func (s Spot) Context() context.Context { return s.f.Outer() }

// Clock returns a host with the clock of the run's loop.
func (s Spot) Clock() *tool.Host { return s.f.Run().Clock() }

// Loop returns the loop of the run, in the form in which user code may have it.
func (s Spot) Loop() tool.Tool { return private.Lend(s.f.Run().Tool()) }

type ask[K comparable, S, V any, A Asker[S, V]] struct {
	frame.Leaf
	of    Giver[K, S, V]
	in    plan.Cell[K]
	out   plan.Cell[V]
	state plan.Cell[S]
}

func (o *ask[K, S, V, A]) Exec(f *frame.Frame) frame.Verdict {
	k := *o.in.At(f)
	if err := mapkey.Check(k); err != nil {
		return f.Fail(err)
	}
	v, found, err := o.of.Find(Spot{f}, k)
	if !found {
		s := o.state.At(f)
		a := A(s).Reply()
		a.gen = a.slot.Open(f)
		f.Hold()
		if v, found, err = o.of.Join(Spot{f}, s, k); err == nil && !found {
			return frame.Waiting
		}
		f.Unhold()
		_ = a.slot.Close(f)
	}
	if err != nil {
		return f.Fail(err)
	}
	*o.out.At(f) = v
	return frame.Done
}

func (o *ask[K, S, V, A]) Resume(f *frame.Frame) frame.Verdict {
	f.Unhold()
	a := A(o.state.At(f))
	v := a.Reply().slot.Take(f, o.out.At(f))
	a.Clear() // now, because the memory may be cleared much later
	return v
}

// Release implements frame.Holder.
func (o *ask[K, S, V, A]) Release(f *frame.Frame) { A(o.state.At(f)).Leave() }

// Ask returns a step whose input is a key, and whose result is the value that giver has for the key.
func Ask[K comparable, S, V any, A Asker[S, V]](kind string, giver Giver[K, S, V]) *plan.Stage[K, V] {
	return One(kind, nil, func(in plan.Cell[K], out plan.Cell[V], e *plan.Emitter) frame.Op {
		return &ask[K, S, V, A]{of: giver, in: in, out: out, state: plan.State[S, A](e)}
	})
}
