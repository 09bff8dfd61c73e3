package op

import "github.com/futoin-go/asyncsteps/internal/frame"

// jump is a frame.Jump that can be stored where a step.Next stores an error. [Fail] unpacks it.
type jump struct{ frame.Jump }

// Error makes a jump an error.
func (g *jump) Error() string { return g.String() }

// The jumps to the nearest loop.
var (
	Break    error = &jump{}
	Continue error = &jump{frame.Jump{Again: true}}
)

// JumpTo returns a jump to the nearest loop with the given label. If again is true the loop
// goes on with its next iteration, which carries v; otherwise it ends, with v as its result.
// A nil label names no loop.
func JumpTo[T any](label *Label, again bool, v T) error {
	if label == nil {
		label = &Label{Name: "(the zero Label)"}
	}
	return &jump{frame.Jump{Label: label, Again: again, Value: v, Given: true}}
}

// Fail ends the current step of f with err, which may be a jump.
func Fail(f *frame.Frame, err error) frame.Verdict {
	if g, ok := err.(*jump); ok { //nolint:errorlint // no error, see jump
		return f.Jump(&g.Jump)
	}
	return f.Fail(err)
}
