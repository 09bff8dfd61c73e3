package op

import "github.com/futoin-go/asyncsteps/internal/frame"

// signal lets a frame.Signal be stored where a step.Next stores an error. [Fail] unpacks it
// again.
type signal struct{ frame.Signal }

// Error lets a signal be stored in an error variable. Nobody calls it.
func (g *signal) Error() string { return g.String() }

// The signals to the nearest loop.
var (
	Break    error = &signal{}
	Continue error = &signal{frame.Signal{Again: true}}
)

// SignalTo returns a signal to the nearest loop with that label, with the value that the loop
// goes on with. The zero label names no loop.
func SignalTo[T any](label *Label, again bool, v T) error {
	if label == nil {
		label = &Label{Name: "(the zero Label)"}
	}
	return &signal{frame.Signal{Label: label, Again: again, Value: v, Given: true}}
}

// Fail ends the current step of f with err, which may be a signal.
func Fail(f *frame.Frame, err error) frame.Verdict {
	if g, ok := err.(*signal); ok { //nolint:errorlint // no error, see signal
		return f.Leave(&g.Signal)
	}
	return f.Fail(err)
}
