package temporal

import (
	"reflect"
	"slices"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/tool"
)

type boxes []*box

type box struct {
	name string
	typ  reflect.Type
	from workflow.ReceiveChannel
	give func(reflect.Value)
	gone bool
}

type keptSignal struct {
	Name    string `json:"name"`
	Payload []byte `json:"payload"`
}

// Host implements engine.Run.
func (x *instance) Host() *tool.Host { return x.loop.Host() }

// Receive implements engine.Run.
func (x *instance) Receive(name string, typ reflect.Type, give func(reflect.Value)) (withdraw func()) {
	b := &box{name: name, typ: typ, from: workflow.GetSignalChannel(x.ctx, name), give: give}
	x.boxes = append(x.boxes, b)
	return func() { b.gone = true }
}

func (s *boxes) ready() bool {
	for _, b := range *s {
		if !b.gone && b.from.Len() > 0 {
			return true
		}
	}
	return false
}

// hand gives one signal to the first step that waits for it, and reports whether there was one. It is called when the loop has
// nothing else to do: if this signal makes the run leave another waiting step, that step must not receive a signal, which would be
// lost.
func (s *boxes) hand(x *instance) bool {
	*s = slices.DeleteFunc(*s, func(b *box) bool { return b.gone })
	for i, b := range *s {
		if v, ok := b.next(x); ok {
			*s = slices.Delete(*s, i, i+1)
			x.queue(func() { b.give(v) })
			return true
		}
	}
	return false
}

// next takes a signal for b, and returns false if there is none. Signals that were carried from the previous beginning come first.
func (b *box) next(x *instance) (reflect.Value, bool) {
	for {
		i := slices.IndexFunc(x.carried.Signals, func(s keptSignal) bool { return s.Name == b.name })
		if i < 0 {
			break
		}
		kept := x.carried.Signals[i]
		x.carried.Signals = slices.Delete(x.carried.Signals, i, i+1)
		// SideEffect decodes a value with the converter of the client.
		stored := workflow.SideEffect(x.ctx, func(workflow.Context) any { return kept.raw() })
		v := reflect.New(b.typ) // a new variable for each signal, because a decoding that fails may leave a part of the signal in it
		err := stored.Get(v.Interface())
		if err == nil {
			return v.Elem(), true
		}
		x.report(err)
	}
	v := reflect.New(b.typ)
	return v.Elem(), b.from.Len() > 0 && b.from.ReceiveAsync(v.Interface())
}

// unheard logs the signals that no step has received. Those that couldn't be decoded were logged before, by next or by the SDK.
func (x *instance) unheard() {
	names := workflow.GetUnhandledSignalNames(x.ctx)
	for _, s := range x.carried.Signals {
		names = append(names, s.Name)
	}
	for _, name := range names {
		workflow.GetLogger(x.ctx).Warn(engine.Unheard, "workflow", x.Name, "run", x.id, "signal", name)
	}
}

func (x *instance) carry() carried {
	c := carried{Of: x.carried.Of, Generation: x.carried.Generation + 1, Signals: x.carried.Signals}
	for _, name := range workflow.GetUnhandledSignalNames(x.ctx) {
		from := workflow.GetSignalChannel(x.ctx, name)
		for from.Len() > 0 {
			var raw converter.RawValue
			if !from.ReceiveAsync(&raw) {
				break
			}
			c.Signals = append(c.Signals, keep(name, raw))
		}
	}
	return c
}
