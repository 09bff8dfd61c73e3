package op

import "github.com/futoin-go/asyncsteps/internal/frame"

// signal makes a frame.Signal fit where a step.Next keeps an error. It exists
// nowhere else: [Fail] unpacks it.
type signal struct{ frame.Signal }

// Error makes a signal fit where an error does. Nobody calls it.
func (g *signal) Error() string { return g.String() }

// The signals to the nearest loop.
var (
	Break    error = &signal{}
	Continue error = &signal{frame.Signal{Again: true}}
)

// SignalTo is a signal to the nearest loop of that label, with what it carries
// on. The zero label names none.
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
