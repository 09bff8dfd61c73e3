package flow

import (
	"iter"
	"reflect"
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// Tree is a plan as data: a step, with everything it holds. It has no functions
// and no pointers into the plan, so it can be stored as JSON and compared with
// the plan of another process or release.
type Tree struct {
	// Kind names the constructor that has built the step: "func", "par", "timeout", …. If the Tree isn't a step, Kind
	// names what it is instead: "plan", "branch", "handler", ….
	Kind string `json:"kind"`
	// Name is the name given by [Named], or "".
	Name string `json:"name,omitempty"`
	// Func is the function of the program that the step calls: "parse", "(*Store).Get". For a
	// function literal it is the name of the function around the literal, or of the file if
	// there is none, with the line: "Orders:41". Func is "" if the step calls no function of the
	// program. It is no part of the digest: code may be renamed and moved.
	Func string `json:"func,omitempty"`
	// Path is the place of the step in the plan, as in errors and in step.Scope.Path. The path
	// of the root is "". All elements of a ParEach are one branch, each.N; the same holds for
	// tasks and for elements of streams.
	Path string `json:"path"`
	// Role is the part that the Tree plays in the Tree that holds it.
	Role Role `json:"role"`
	// In and Out are the types of the step's input and result, with the full paths of packages; in types of functions
	// and channels, and of structs and interfaces without a name, packages have only their names.
	In  string `json:"in"`
	Out string `json:"out"`
	// Loop is set for loops, such as those of package loopx.
	Loop bool `json:"loop,omitempty"`
	// Edges tells what the nodes of a [Graph] take. Edges[i] lists the branches whose results the branch Holds[i]
	// takes, in the order of its input, and the last entry lists those that the result of the Graph is made of.
	// A branch is given as its index in Holds; -1 is the input of the Graph. Edges is nil for all other steps.
	Edges [][]int `json:"edges,omitempty"`
	// Parameters are the values that the program has built the step with: limits, tries and pauses, bounds,
	// guards, lifetimes, periods. Parameters is nil if there are none. They are no part of the digest: a step
	// that gets another limit is still the same step.
	Parameters []Parameter `json:"parameters,omitempty"`
	// Site is the place in the source where the step was built. It is no part of the digest.
	Site fault.Site `json:"site"`
	// Digest is a hash of kind, name, types, role and edges of the step and of all that it holds, in order. Equal plans
	// have equal digests in every process.
	Digest string `json:"digest"`
	// Holds lists what the step holds, in the order of the plan: steps or branches,
	// and last its handler, hook or undo.
	Holds []*Tree `json:"holds,omitempty"`
}

// Parameter is one value that the program has built a step with, like {"limit", "1m0s"}.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// String returns the name and the value with a space in between.
func (p Parameter) String() string { return p.Name + " " + p.Value }

// Role is the part that a Tree plays in the Tree that holds it.
type Role string

const (
	RolePlan    Role = "plan"    // all of the plan; nothing holds it
	RoleStep    Role = "step"    // a step of the sequence inside the holder
	RoleBranch  Role = "branch"  // one of the parallel flows of the holder: not a step itself, it holds steps
	RoleHandler Role = "handler" // handles errors of the holder, and has the same path
	RoleHook    Role = "hook"    // is called when the holder is left without success, and has the same path
	RoleUndo    Role = "undo"    // holds the steps that undo the holder; the Saga around the holder runs them, under the path of the Saga
)

// Describe returns the steps of s as a run executes them. Sequences are flattened and the steps of [Call], [ParEach]
// and loops are included; sub-steps that a body adds with step.Into are not known before it runs.
//
// A plan that can't be run is described too, with steps of the kind "nil" in the place of
// missing ones; Plan.Err reports what is wrong with it.
//
// The Tree is new and the caller's. Its size is that of the plan with all calls expanded.
// Describe runs nothing, doesn't recurse, and may be called from any goroutine.
func Describe[In, Out any](s step.Step[In, Out]) *Tree {
	return describe(op.Given(s, "Describe: the stage is nil").Node(), newDescriber())
}

func describe(n *plan.Node, d *describer) *Tree {
	d.begin(plan.Part{Info: &n.Info, In: n.In, Out: n.Out})
	root := d.open[0]
	root.Kind, root.Name, root.Func, root.Role, root.Parameters = "plan", "", "", RolePlan, nil
	plan.Outline(n, d.begin, d.end)
	d.end()
	return root
}

// All returns an iterator over t and everything it holds, each Tree before what it holds, in
// the order of the plan. It doesn't recurse.
func (t *Tree) All() iter.Seq[*Tree] {
	return func(yield func(*Tree) bool) {
		for todo := []*Tree{t}; len(todo) > 0; {
			t := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !yield(t) {
				return
			}
			for _, held := range slices.Backward(t.Holds) {
				todo = append(todo, held)
			}
		}
	}
}

// describer builds a Tree from the outside in. It caches types and sites, because a long plan
// has few different ones.
type describer struct {
	open  []*Tree // the Trees that have begun and not ended, outermost first
	types map[reflect.Type]string
	sites map[plan.Origin]fault.Site
	body  func(*Tree, *tool.Body) // called for each step that has a Body; nil unless Bodies asks
}

func newDescriber() *describer {
	return &describer{types: make(map[reflect.Type]string), sites: make(map[plan.Origin]fault.Site)}
}

var roles = map[plan.Role]Role{
	plan.Next: RoleStep, plan.Branch: RoleBranch, plan.Handler: RoleHandler, plan.Hook: RoleHook, plan.Undoing: RoleUndo,
}

func (d *describer) begin(p plan.Part) {
	t := &Tree{
		Kind: p.Kind, Name: p.Name, Func: p.Func(), Path: p.Path, Role: roles[p.Role], Loop: p.Loop,
		In: d.typ(p.In), Out: d.typ(p.Out), Edges: p.Edges, Site: d.site(p),
	}
	if p.Parameters != nil {
		for _, q := range p.Parameters() {
			t.Parameters = append(t.Parameters, Parameter(q))
		}
	}
	if n := len(d.open); n > 0 {
		d.open[n-1].Holds = append(d.open[n-1].Holds, t)
	}
	d.open = append(d.open, t)
	if d.body != nil && p.Body != nil {
		d.body(t, p.Body)
	}
}

func (d *describer) end() {
	last := len(d.open) - 1
	d.open[last].Digest = digest(d.open[last])
	d.open = d.open[:last]
}

func (d *describer) typ(t reflect.Type) string {
	name, known := d.types[t]
	if !known {
		name = typeName(t)
		d.types[t] = name
	}
	return name
}

func (d *describer) site(p plan.Part) fault.Site {
	site, known := d.sites[p.Made]
	if !known {
		site = p.Site()
		d.sites[p.Made] = site
	}
	return site
}
