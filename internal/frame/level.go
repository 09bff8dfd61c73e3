package frame

import (
	"sync"

	"github.com/futoin-go/asyncsteps/internal/site"
)

// Level is the compiled form of one sequence of steps. All runs of a plan share it: what
// belongs to one run is in the [Activation] that it takes to enter the level.
type Level struct {
	Ops    []Op
	Infos  *Infos
	Memory *Memory // where its activations come from; nil if its frames are embedded elsewhere

	// In and Out are the offsets of the input and of the result in an activation, in bytes.
	// Result is a nil pointer to the type of the result.
	In, Out uintptr
	Result  any

	Hide bool // it is the outermost level of a branch, and paths don't show the numbers of its steps
	Bare bool // its only step has the path of the step that holds the level
	Lane bool // it is the level of a lane of a fork: it has no step of the user and isn't observed

	Under string // precedes the numbers of its steps in paths, with a slash at its end; "" for most levels

	Attempts bool // its only op implements Attempts
}

// Infos describes the steps of a level.
type Infos []*site.Info

// Memory makes activations of one layout, and keeps those that nobody uses.
// Levels of different plans share it if they have the same layout. It is safe
// for concurrent use.
type Memory struct {
	New   func() *Activation // calls Init
	Clear func(*Activation)  // drops what the values in it refer to; nil if there is nothing to drop

	roots sync.Pool // *Activation, as a rule with the memory of a run
	inner sync.Pool // *Activation
}

func (m *Memory) take() *Activation {
	if in, ok := m.inner.Get().(*Activation); ok {
		return in
	}
	return m.New()
}
