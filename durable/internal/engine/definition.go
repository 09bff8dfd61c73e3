package engine

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/tool"
)

// Definition is a durable.Workflow without its types. Once durable.New has returned, only olds changes, and the Definition is safe
// for concurrent use.
type Definition struct {
	Settings

	Name   string
	Root   *tool.Body              // the whole plan
	Bodies map[*tool.Body]Identity // the bodies that engines call, and those of child workflows
	Known  []Known                 // the bodies of Bodies, plan by plan; in each plan those in the present parts of patches are last
	Plans  Plans
	Waits  Waits
	Stored func() (Record, error) // returns the record of Plans, which is made once

	// Next reports whether a run whose result is out begins anew, and returns the input for that. Continues reports whether t is a
	// durable.Again: such a result may ask for a new beginning.
	Next      func(out reflect.Value) (in reflect.Value, more bool)
	Continues func(t reflect.Type) bool

	olds sync.Map // the texts of Plans.Changed, by the digest and calls of the other version of the plans
}

// Known is a body with its name and its place in the plan.
type Known struct {
	Name    string
	Version string
	Body    *tool.Body
	Place   *flow.Tree
}

// Settings are set by the options of durable.New.
type Settings struct {
	Also      []Also
	Named     []NamedError
	Heartbeat time.Duration
	Longest   time.Duration
	Grace     time.Duration
	Attribute string
	Errs      []error // what is wrong with the settings, and with the plan
}

// Also is a plan that durable.Also was called with.
type Also struct {
	Name string
	Add  func(*Definition)
}

// NewDefinition returns a definition without a plan.
func NewDefinition(name string) *Definition {
	d := &Definition{Name: name, Bodies: make(map[*tool.Body]Identity), Plans: make(Plans), Waits: Waits{signals: make(map[string][]reflect.Type)}}
	d.Stored = sync.OnceValues(d.Plans.Record)
	return d
}

// Refuse notes what is wrong with the plan or an option.
func (s *Settings) Refuse(what string) {
	s.Errs = append(s.Errs, fault.New(fault.InvalidRequest, what))
}

// Add adds a plan, with its bodies and signals. The plan of the workflow itself has the name "".
func Add[In, Out any](d *Definition, name string, whole flow.Plan[In, Out]) {
	if err := whole.Err(); err != nil {
		d.Errs = append(d.Errs, err)
		return
	}
	prefix := d.Name + "."
	if name != "" {
		prefix += name + "."
	}
	tree := flow.Describe(whole)
	d.Plans[name] = normalized(tree)
	versions := versionsOf(tree)
	plan.Outline(whole.Stage().Node(), func(p plan.Part) {
		d.Waits.note(p)
		if reason := unrepeatable(p); reason != "" {
			d.Refuse(fmt.Sprintf("%s%s %s: %s (%s)", prefix, p.Path, p.Kind, reason, p.Site()))
		}
	}, func() {})
	for t := range tree.All() {
		if patch, _, _, _, ok := parts(t); ok && t.Name != patch {
			d.Refuse(fmt.Sprintf("%s%s: the name %s is given to durable.Patch %s: give names to its parts (%s)", prefix, t.Path, t.Name, patch, t.Site))
		}
	}
	var later []Known // the bodies in present parts of patches, which are named last, so that they take no name from another body
	for place, body := range flow.Bodies(whole) {
		if in := inPatch.FindAllStringSubmatch(place.Path, -1); in != nil {
			later = append(later, Known{prefix + "patch." + in[len(in)-1][1] + ".", versions.of(place.Path), body, place})
			continue
		}
		d.body(Known{prefix, versions.of(place.Path), body, place})
	}
	for _, l := range later {
		d.body(l)
	}
}

// body adds the body of k to d under a name that begins with k.Name. If d has the body already, the body keeps its name.
func (d *Definition) body(k Known) {
	prefix, place, body := k.Name, k.Place, k.Body
	if body.Start != nil && place.Name == "" {
		return // a Call without a name is executed as a part of the plan
	}
	if _, twice := d.Bodies[body]; twice {
		return
	}
	name := prefix + place.Name
	if place.Name == "" || d.taken(name) {
		name = prefix + place.Path
	}
	for d.taken(name) { // the name of another body may look like a path
		name += "'"
	}
	d.Bodies[body] = Identity{name, k.Version, Versioned(k.Version)}
	d.Known = append(d.Known, Known{name, k.Version, body, place})
	label := prefix + place.Path + " " + place.Kind
	d.Storable("the input of "+label, body.In)
	if body.Start == nil || !d.Continues(body.Out) {
		d.Storable("the result of "+label, body.Out)
	}
}

func (d *Definition) taken(name string) bool {
	return slices.ContainsFunc(d.Known, func(k Known) bool { return k.Name == name })
}

// Storable refuses type t if its values can't be stored. what names them in the error.
func (d *Definition) Storable(what string, t reflect.Type) {
	if reason := unstorable(t); reason != "" {
		d.Refuse(what + ": " + reason)
	}
}

// Started returns nil if other, the name of the workflow of the existing run with this id, is the name of d, and an
// ErrOtherWorkflow if it isn't.
func (d *Definition) Started(id, other string) error {
	if other == d.Name {
		return nil
	}
	return fmt.Errorf("%w: %q is one of %s, not of %s", ErrOtherWorkflow, id, other, d.Name)
}

// Gives returns an error unless other is the name of d or of one of its child workflows, and a variable of type out can hold a
// result of that workflow. id is for the error.
func (d *Definition) Gives(id, other string, out reflect.Type) error {
	body := d.Root
	if other != d.Name {
		i := slices.IndexFunc(d.Known, func(k Known) bool { return k.Name == other && k.Body.Start != nil })
		if i < 0 {
			return d.Started(id, other)
		}
		body = d.Known[i].Body
	}
	if !body.Out.AssignableTo(out) {
		return fmt.Errorf("%w: %q is one of %s, whose result is a %s", ErrOtherWorkflow, id, other, body.Out)
	}
	return nil
}

// Label returns the same text as observe.Event.Label for the step of w.
func (d *Definition) Label(w tool.Work) string {
	label := w.Name
	if i := slices.IndexFunc(d.Known, func(k Known) bool { return k.Body == w.Body }); label == "" && i >= 0 {
		label = d.Known[i].Place.Func
	}
	return cmp.Or(label, w.Kind)
}

// Changed returns how the plans differ from those in first; now is the record of d's own plans. The answers are kept: a program sees
// few versions of its plans.
func (d *Definition) Changed(now, first Record) string {
	if now.Same(first) {
		return ""
	}
	version := first.Digest + first.Calls
	if what, known := d.olds.Load(version); known {
		text, _ := what.(string)
		return text
	}
	what := d.Plans.Changed(now, first)
	d.olds.Store(version, what)
	return what
}
