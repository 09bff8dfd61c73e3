package engine

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// SignalParameter is the name of the parameter that a step has if it waits for a signal. Its value is the signal's name.
const SignalParameter = "signal"

// ErrUnexpectedSignal means that no step of a plan waits for a signal with the name and type that were sent.
var ErrUnexpectedSignal = fault.New(fault.InvalidRequest, "no step of the plan waits for such a signal")

// Unheard is the text that engines log for a signal that no step has received when its run ends.
const Unheard = "durable: no step has received a signal"

// Waits holds the signals that the steps of the plans of a workflow wait for.
type Waits struct {
	signals map[string][]reflect.Type // by the name of the signal, the type that each step waits for
	open    bool                      // bodies may enter steps that aren't parts of the plan, and that wait for other signals
}

// note adds the signal that p waits for. If p waits for none, but its body may enter other steps, note sets open.
func (w *Waits) note(p plan.Part) {
	if p.Parameters != nil {
		for _, q := range p.Parameters() {
			if q.Name == SignalParameter {
				w.signals[q.Value] = append(w.signals[q.Value], p.Out)
				return
			}
		}
	}
	w.open = w.open || p.Decides
}

// Types calls yield with the type of each signal.
func (w *Waits) Types(yield func(reflect.Type) bool) {
	for _, types := range w.signals {
		for _, t := range types {
			if !yield(t) {
				return
			}
		}
	}
}

// Expects returns nil if a step of the plans waits for a signal with the given name and type t. If no step waits
// for the name, Expects returns nil if bodies may enter steps that aren't parts of the plans. Otherwise it returns an error.
func (w *Waits) Expects(name string, t reflect.Type) error {
	types := w.signals[name]
	switch {
	case slices.Contains(types, t), types == nil && w.open:
		return nil
	case types == nil:
		return fmt.Errorf("%w: none is called %s", ErrUnexpectedSignal, name)
	default:
		return fmt.Errorf("%w: %s is a %s, not a %s", ErrUnexpectedSignal, name, types[0], t)
	}
}
