// Package site describes steps for errors, traces and pictures: where in the source of a program a step was built, and which
// function of the program it calls.
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

	// Confined is the reason why no other process can repeat what the step does; "" if one can.
	Confined string

	// Inner is set if the step is a part of another step and users know only the outer one: an error of the inner step
	// counts as an error of the outer one, and the inner step isn't among the levels that the error's report lists.
	Inner bool

	// Decides is set if the function that the step calls decides how the step goes on, as the body of step.New does: it
	// may enter steps that aren't parts of the plan.
	Decides bool

	// Parameters returns the values that the program has set when it built the step. It is nil if there are none. Any
	// goroutine may call it.
	Parameters func() []Parameter

	function atomic.Pointer[string]     // the result of find; nil until it is called
	made     atomic.Pointer[fault.Site] // the result of Made.Site; nil until Site is called
}

// String names the step for a person: the result of Called, or else the kind, with the build site.
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

// At returns the step as a level in the report of an error. path is the place of the step in the plan, and o how the step has
// answered the error.
func (i *Info) At(path string, o fault.Outcome) fault.Frame {
	return fault.Frame{Path: path, Name: i.Called(), Kind: i.Kind, Site: i.Site(), What: o}
}
