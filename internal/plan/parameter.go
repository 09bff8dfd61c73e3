package plan

import (
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/internal/site"
)

// Parameter is something that the program has set when it built a step.
type Parameter = site.Parameter

// Set returns a parameter with the given name, and with value as fmt.Sprint prints it.
func Set(name string, value any) Parameter { return Parameter{Name: name, Value: fmt.Sprint(value)} }

// AtMost returns a parameter with the given name for a bound, which is "unlimited" if it is below zero.
func AtMost[T int | time.Duration](name string, bound T) Parameter {
	if bound < 0 {
		return Set(name, "unlimited")
	}
	return Set(name, bound)
}

// Tell sets the function that returns the parameters of the stage. It is called for each description, on any goroutine.
func (n *Node) Tell(parameters func() []Parameter) { n.Parameters = parameters }
