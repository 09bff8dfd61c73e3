// Package site knows where in the source of a program steps were built, and which of its functions they call: what errors,
// traces and pictures say of a step.
package site

import (
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/fault"
)

// Info describes a step, apart from its place in the plan. It doesn't change once the step is built; runs and goroutines
// share it.
type Info struct {
	Kind string  // what built it: "func", "par", "timeout", …
	Name string  // given by the user; may be empty
	Made Origin  // where it was built
	Code uintptr // the address of the function that Func looks up; 0 if there is none

	// Confined says why no other process can repeat what the step does. It is empty for most.
	Confined string

	// Inner is set if the step is a part of another step and users know only the outer one: an error of the inner step
	// counts as an error of the outer one, and the inner step isn't among the levels that the error's report lists.
	Inner bool

	// Decides is set if the function that the step calls decides how the step goes on, as the body of step.New does: it
	// may enter steps that aren't parts of the plan.
	Decides bool

	// Parameters returns what the program has set when it built the step; nil if that is nothing. Any goroutine may call it.
	Parameters func() []Parameter

	function atomic.Pointer[string]     // what find has returned; nil until it is called
	made     atomic.Pointer[fault.Site] // what Made.Site has returned; nil until Site is called
}

// String names the step for a person: what it is called, or else its kind, and its build site.
func (i *Info) String() string {
	name := i.Called()
	if name == "" {
		name = i.Kind
	}
	if site := i.Site().String(); site != "" {
		return name + " (" + site + ")"
	}
	return name
}

// Site returns the place in the source where the step was built. The first call looks it up.
func (i *Info) Site() fault.Site {
	if found := i.made.Load(); found != nil {
		return *found
	}
	site := i.Made.Site()
	i.made.Store(&site)
	return site
}

// At returns the step as a level in an error's report: its place in the plan is path, and it answered with o.
func (i *Info) At(path string, o fault.Outcome) fault.Frame {
	return fault.Frame{Path: path, Name: i.Called(), Kind: i.Kind, Site: i.Site(), What: o}
}
