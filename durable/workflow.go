package durable

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Workflow is a plan with a name, under which engines know its runs. It is immutable and
// safe for concurrent use.
type Workflow[In, Out any] struct {
	def  *engine.Definition
	plan flow.Plan[In, Out]
}

// Option configures a [Workflow].
type Option func(*engine.Settings)

// Also names a plan that bodies enter with step.Into, so that the bodies in it can be found by name. [Workflow.Err] reports an
// empty name, and one that is used twice in the Workflow.
func Also[In, Out any](name string, plan step.Step[In, Out]) Option {
	return func(s *engine.Settings) {
		s.Also = append(s.Also, engine.Also{Name: name, Add: func(d *engine.Definition) { engine.Add(d, name, flow.Of(plan)) }})
	}
}

// Errors gives names to errors, so that errors.Is finds them on the other side of a process boundary: in the plan if a body has
// returned one, and in [Run.Wait] if the run has ended with one. Some errors pass without a name: codes of package fault, the error
// variables of packages context, errors, io, os, sql and durable, net.ErrClosed on Temporal, and a fault.Panic with the text of its
// value and its stack. All others pass as text, with what their methods Permanent and RetryAfter return, for package retry.
func Errors(named map[string]error) Option {
	return func(s *engine.Settings) {
		for _, name := range slices.Sorted(maps.Keys(named)) {
			if named[name] == nil {
				s.Refuse("durable.Errors: the error " + name + " is nil")
				continue
			}
			s.Named = append(s.Named, engine.NamedError{Name: name, Err: named[name]})
		}
	}
}

// Heartbeat sets how soon Temporal notices that a worker is lost, and how soon a body there learns that it is cancelled. Other
// engines ignore it. The default is ten seconds. [Workflow.Err] reports a d of less than a second. A body that returns within a
// quarter of d sends no heartbeat.
func Heartbeat(d time.Duration) Option {
	return func(s *engine.Settings) {
		if s.Heartbeat = d; d < time.Second {
			s.Refuse("durable.Heartbeat: " + d.String() + " is below a second")
		}
	}
}

// Longest sets how long one call of a body may take on Temporal. A call that takes longer counts as lost, and the body is called
// again. The default is a day. [Workflow.Err] reports a d that isn't positive.
func Longest(d time.Duration) Option {
	return func(s *engine.Settings) {
		if s.Longest = d; d <= 0 {
			s.Refuse("durable.Longest: " + d.String() + " is not positive")
		}
	}
}

// Grace sets how long a step that is left waits for its body to end, and how long undos may take: see step.Await and flow.Grace. By
// default, or with zero, nothing but [Longest] limits these times, so that work isn't left undone because a worker was lost. [Local]
// ignores Grace.
func Grace(d time.Duration) Option { return func(s *engine.Settings) { s.Grace = d } }

// SearchAttribute names an attribute of each run, whose value is the step that the run waits for: the name of the step, or else the
// function that it calls, or its kind. If the run waits for several steps, the value is that of the step that is first by path. On
// Temporal it is a search attribute of type Keyword, which must exist on the server: without it no run goes on. Each change is an
// event of the history. On a file it is the Attribute of a sqlite.RunInfo. [Local] has none. [Workflow.Err] reports an empty name.
func SearchAttribute(name string) Option {
	return func(s *engine.Settings) {
		if s.Attribute = name; name == "" {
			s.Refuse("durable.SearchAttribute: the name is empty")
		}
	}
}

// New returns a Workflow of the plan, with the given name. [Workflow.Err], and any engine that is given the Workflow, report what
// is wrong with the plan and the options.
func New[In, Out any](name string, plan step.Step[In, Out], with ...Option) *Workflow[In, Out] {
	d := engine.NewDefinition(name)
	d.Next, d.Continues = next, continues
	d.Heartbeat, d.Longest = 10*time.Second, 24*time.Hour
	for i, set := range with {
		if set == nil {
			d.Refuse("option " + strconv.Itoa(i) + " is nil")
			continue
		}
		set(&d.Settings)
	}
	if d.Grace == 0 {
		d.Grace = -1
	}
	if name == "" {
		d.Refuse("the workflow has no name")
	}
	whole := flow.Of(plan)
	engine.Add(d, "", whole)
	for _, a := range d.Also {
		switch {
		case a.Name == "":
			d.Refuse("durable.Also: the name is empty")
		case d.Plans[a.Name] != nil:
			d.Refuse("durable.Also: there are two plans of the name " + a.Name)
		default:
			a.Add(d)
		}
	}
	for _, b := range flow.Bodies(flow.Call(whole)) {
		d.Root = b
		break
	}
	if !continues(d.Root.Out) {
		d.Storable("the result of "+name, d.Root.Out)
	}
	d.Storable("the input of "+name, d.Root.In)
	return &Workflow[In, Out]{d, whole}
}

// Err reports what is wrong with the plan and the options, one thing on a line: the errors of flow.Plan.Err, and what can't be
// durable, which the package comment lists. It is nil for a plan that can be run.
func (w *Workflow[In, Out]) Err() error { return errors.Join(w.def.Errs...) }

// Name returns the name that was given to [New].
func (w *Workflow[In, Out]) Name() string { return w.def.Name }

// Definition returns the workflow without its types, for the packages of engines.
func (w *Workflow[In, Out]) Definition() *engine.Definition { return w.def }
