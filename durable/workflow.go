package durable

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// Workflow is a plan with a name, under which its runs are known to Temporal. It is immutable and
// safe for concurrent use.
type Workflow[In, Out any] struct {
	def  *definition
	plan flow.Plan[In, Out]
}

// WorkflowRegistry registers workflows. worker.Worker, worker.WorkflowReplayer and testsuite.TestWorkflowEnvironment
// implement it.
type WorkflowRegistry interface {
	RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions)
}

// Registry registers workflows and activities. worker.Worker and testsuite.TestWorkflowEnvironment implement it.
type Registry interface {
	WorkflowRegistry
	RegisterActivityWithOptions(a any, options activity.RegisterOptions)
}

// definition is a Workflow without its types.
type definition struct {
	settings

	name   string
	root   *tool.Body              // the whole plan
	entry  any                     // the function that Temporal calls to run it
	bodies map[*tool.Body]identity // those that engines call, and child workflows
	known  []known                 // the bodies of bodies, in the order of the plans
	trees  recorded
	stored func() (record, error) // returns the record of trees; it is made once, because to compress it costs more than a run
	olds   sync.Map               // digest of another version of the plans → the text of recorded.changed
}

// known is a body with its name and its place in the plan.
type known struct {
	name    string
	version string
	body    *tool.Body
	place   *flow.Tree
}

// settings are what Options set.
type settings struct {
	also      []also
	named     []namedError
	heartbeat time.Duration
	longest   time.Duration
	grace     time.Duration
	attribute string
	errs      []error // what is wrong with them, and with the plan
}

// also is a plan that [Also] was called with.
type also struct {
	name string
	add  func(*definition)
}

// Option sets one thing of a [Workflow].
type Option func(*settings)

// Also names a plan that bodies enter with step.Into, so that the bodies in it can be found by name. Names belong to
// one Workflow; [Workflow.Err] reports an empty one, and one that is used twice.
func Also[In, Out any](name string, plan step.Step[In, Out]) Option {
	return func(s *settings) {
		s.also = append(s.also, also{name: name, add: func(d *definition) { add(d, name, flow.Of(plan)) }})
	}
}

// Heartbeat sets within which time the loss of a worker is noticed, and a body is told that it is cancelled. The
// default is ten seconds. [Workflow.Err] reports less than a second. A body that returns within a quarter of d sends no
// heartbeat.
func Heartbeat(d time.Duration) Option {
	return func(s *settings) {
		if s.heartbeat = d; d < time.Second {
			s.refuse("durable.Heartbeat: " + d.String() + " is below a second")
		}
	}
}

// Longest sets how long one call of a body may take at most, whatever the limits of the plan. The default is a day.
func Longest(d time.Duration) Option {
	return func(s *settings) {
		if s.longest = d; d <= 0 {
			s.refuse("durable.Longest: " + d.String() + " is not positive")
		}
	}
}

// Grace sets how long a step that is left waits for its body to end, and how long undos may take: see step.Await and
// flow.Grace. By default only [Longest] limits that, so that a lost worker is no reason to leave something undone.
func Grace(d time.Duration) Option { return func(s *settings) { s.grace = d } }

// SearchAttribute sets a search attribute of type Keyword to the step that the run waits for: its name, or else its
// path. The attribute must exist on the server, otherwise no run goes on. Each change is an event of the history.
// [Workflow.Err] reports an empty name.
func SearchAttribute(name string) Option {
	return func(s *settings) {
		if s.attribute = name; name == "" {
			s.refuse("durable.SearchAttribute: the name is empty")
		}
	}
}

// New gives a plan a name. [Workflow.Err] and [Workflow.Register] report what is wrong with it.
func New[In, Out any](name string, plan step.Step[In, Out], with ...Option) *Workflow[In, Out] {
	d := &definition{name: name, bodies: make(map[*tool.Body]identity), trees: make(recorded)}
	d.entry = entry[In, Out](d)
	d.stored = sync.OnceValues(d.trees.record)
	d.heartbeat, d.longest = 10*time.Second, 24*time.Hour
	for i, set := range with {
		if set == nil {
			d.refuse("option " + strconv.Itoa(i) + " is nil")
			continue
		}
		set(&d.settings)
	}
	if d.grace == 0 {
		d.grace = -1
	}
	if name == "" {
		d.refuse("the workflow has no name")
	}
	whole := flow.Of(plan)
	add(d, "", whole)
	for _, a := range d.also {
		switch {
		case a.name == "":
			d.refuse("durable.Also: the name is empty")
		case d.trees[a.name] != nil:
			d.refuse("durable.Also: there are two plans of the name " + a.name)
		default:
			a.add(d)
		}
	}
	for _, b := range flow.Bodies(flow.Call(whole)) {
		d.root = b
		break
	}
	if !continues(d.root.Out) {
		d.storable("the result of "+name, d.root.Out)
	}
	d.storable("the input of "+name, d.root.In)
	return &Workflow[In, Out]{d, whole}
}

// refuse notes what is wrong with the plan or an option.
func (s *settings) refuse(what string) {
	s.errs = append(s.errs, fault.New(fault.InvalidRequest, what))
}

// add adds the bodies of a plan. The name of the plan of the Workflow itself is "".
func add[In, Out any](d *definition, name string, whole flow.Plan[In, Out]) {
	if err := whole.Err(); err != nil {
		d.errs = append(d.errs, err)
		return
	}
	prefix := d.name + "."
	if name != "" {
		prefix += name + "."
	}
	tree := flow.Describe(whole)
	d.trees[name] = normalized(tree)
	versions := versionsOf(tree)
	plan.Outline(whole.Stage().Node(), func(p plan.Part) {
		if reason := unrepeatable(p); reason != "" {
			d.refuse(fmt.Sprintf("%s%s %s: %s (%s)", prefix, p.Path, p.Kind, reason, p.Site()))
		}
	}, func() {})
	for t := range tree.All() {
		if patch, _, _, _, ok := parts(t); ok && t.Name != patch {
			d.refuse(fmt.Sprintf("%s%s: the name %s is given to durable.Patch %s: give names to its parts (%s)", prefix, t.Path, t.Name, patch, t.Site))
		}
	}
	var later []known // the bodies inside of patches, which are named last, so that they take no name from another body
	for place, body := range flow.Bodies(whole) {
		if in := inPatch.FindAllStringSubmatch(place.Path, -1); in != nil {
			later = append(later, known{prefix + "patch." + in[len(in)-1][1] + ".", versions.of(place.Path), body, place})
			continue
		}
		d.body(known{prefix, versions.of(place.Path), body, place})
	}
	for _, l := range later {
		d.body(l)
	}
}

// body gives a body its name, which begins with that of k.
func (d *definition) body(k known) {
	prefix, place, body := k.name, k.place, k.body
	if body.Start != nil && place.Name == "" {
		return // a Call without a name is executed as a part of the plan
	}
	if _, twice := d.bodies[body]; twice {
		return
	}
	name := prefix + place.Name
	if place.Name == "" || d.taken(name) {
		name = prefix + place.Path
	}
	for d.taken(name) { // by a body whose own name is that path
		name += "'"
	}
	d.bodies[body] = identity{name, k.version, versioned(k.version)}
	d.known = append(d.known, known{name, k.version, body, place})
	label := prefix + place.Path + " " + place.Kind
	d.storable("the input of "+label, body.In)
	if body.Start == nil || !continues(body.Out) {
		d.storable("the result of "+label, body.Out)
	}
}

func (d *definition) taken(name string) bool {
	return slices.ContainsFunc(d.known, func(k known) bool { return k.name == name })
}

func (d *definition) storable(what string, t reflect.Type) {
	if reason := unstorable(t); reason != "" {
		d.refuse(what + ": " + reason)
	}
}

// Err reports what is wrong with the plan, one thing on a line: what flow.Plan.Err says, and what can't be
// durable; see the package. It is nil for a plan that can be registered.
func (w *Workflow[In, Out]) Err() error { return errors.Join(w.def.errs...) }

// Name returns the name that was given to [New].
func (w *Workflow[In, Out]) Name() string { return w.def.name }

// Decode turns the error of a run, as Temporal's own client or test environment reports it, into the one that
// [Run.Wait] returns: errors.Is finds codes of package fault, and errors named by [Errors]. Decode(nil) is nil.
func (w *Workflow[In, Out]) Decode(err error) error { return w.def.decode(err) }

// Register registers the workflow with a worker, or with the environment of a test. It also registers its named
// flow.Calls as child workflows, and its bodies as activities. It fails with [Workflow.Err], and if r has one of these
// names already. Call it once, before the worker starts.
func (w *Workflow[In, Out]) Register(r Registry) (err error) {
	if err = w.RegisterWorkflows(r); err != nil {
		return err
	}
	defer refused(w.def.name, &err)
	for _, k := range w.def.known {
		if k.body.Call != nil {
			r.RegisterActivityWithOptions(w.def.activity(k), activity.RegisterOptions{Name: k.name})
		}
	}
	return nil
}

// RegisterWorkflows is [Workflow.Register] without the activities: for a replayer of histories, and for workers that
// call no bodies.
func (w *Workflow[In, Out]) RegisterWorkflows(r WorkflowRegistry) (err error) {
	if err = w.Err(); err != nil {
		return err
	}
	if r == nil {
		return fault.New(fault.InvalidRequest, "the registry is nil")
	}
	defer refused(w.def.name, &err)
	r.RegisterWorkflowWithOptions(w.def.entry, workflow.RegisterOptions{Name: w.def.name})
	for _, k := range w.def.known {
		if k.body.Start != nil {
			r.RegisterWorkflowWithOptions(w.def.workflow(k), workflow.RegisterOptions{Name: k.name})
		}
	}
	return nil
}

// refused makes an error of the panic with which a registry of the SDK refuses a name that it has already.
func refused(name string, err *error) {
	if v := recover(); v != nil {
		*err = fault.New(fault.InvalidRequest, fmt.Sprintf("%s can't be registered: %v", name, v))
	}
}
