package plan

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Place is where a step stands, for packages that know it by its step.Scope only.
type Place struct{ ref frame.Ref }

// PlaceOf makes a Place of what a scope holds.
func PlaceOf(ref frame.Ref) Place { return Place{ref} }

// Around returns the context of what is around the step; it isn't made for the step
// as that of its scope is. It is the background once the step has ended.
func (p Place) Around() context.Context {
	if f := p.ref.Frame(); f != nil {
		return f.Outer()
	}
	return context.Background()
}

// Ref is what the scope holds.
func (p Place) Ref() frame.Ref { return p.ref }
