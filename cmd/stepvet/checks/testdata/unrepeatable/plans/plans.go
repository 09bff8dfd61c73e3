// Package plans has plans that other packages make durable.
package plans

import (
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Stamped isn't durable here, so nothing is reported here.
var Stamped = flow.Of(step.Map(func(name string) string { return name + time.Now().String() }))

// Plain can be repeated.
var Plain = flow.Of(step.Map(func(name string) string { return name + "!" }))

// Build builds a plan that can't be repeated.
func Build(first step.Step[string, string]) flow.Plan[string, string] {
	return flow.Then(first, step.Map(stamp))
}

func stamp(name string) string { return name + time.Now().String() }
