package plan

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/site"
	"github.com/futoin-go/asyncsteps/tool"
)

// Part is one step of a plan as the machine executes it, or something that a step holds: a branch, the
// steps that undo it, its handler or its cancel hook.
type Part struct {
	*site.Info

	In, Out reflect.Type
	Path    string // as frame.Frame.Path returns it; of a stage that runs for each element it ends with ".N": "0/each.N"
	Role    Role   // Next, Branch, Undoing, Handler or Hook
	Loop    bool
	Edges   [][]int    // for a graph: which branches each branch takes, and at the end which ones the result is made of; -1 is the input
	Body    *tool.Body // the work that a loop may take over; nil for most steps
	Guard   any        // the guard of a section; nil for other steps
}

// Outline visits the parts of the plan n in the order of the plan: it calls begin with a part, visits what the part holds,
// and calls end. It emits the plan as compiling does, but without a check of Err, so it also describes a plan that can't be
// run.
func Outline(n *Node, begin func(Part), end func()) {
	e := &Emitter{tells: true}
	o := &outline{begin: begin, end: end}
	o.level(e.run(n).Steps, "")
	for len(o.todo) > 0 {
		last := len(o.todo) - 1
		do := o.todo[last]
		o.todo = o.todo[:last]
		do()
	}
}

type outline struct {
	begin func(Part)
	end   func()
	todo  []func() // a stack: the last one is called next
	at    []string // the path of the current step
}

func (o *outline) later(do func()) { o.todo = append(o.todo, do) }

func (o *outline) level(steps []Step, prefix string) {
	o.at = append(o.at, "")
	o.later(func() { o.at = o.at[:len(o.at)-1] })
	for i := range slices.Backward(steps) {
		o.later(func() {
			o.at[len(o.at)-1] = prefix + strconv.Itoa(i)
			o.step(&steps[i])
		})
	}
}

func (o *outline) step(s *Step) {
	o.begin(Part{Info: s.Info, In: s.In, Out: s.Out, Loop: s.Loop, Edges: s.Edges, Path: frame.JoinPath(o.at), Body: bodyOf(s.Op), Guard: guardOf(s.Op)})
	o.later(o.end)
	for i, h := range slices.Backward(s.Holds) {
		switch h.Role {
		case Branch:
			o.later(func() { o.branch(h, s.Info.Kind+"."+strconv.Itoa(i)) })
		case Phase:
			o.later(func() { o.level(h.Steps, s.Info.Kind+"."+strconv.Itoa(i)+"/") })
		case Undoing:
			o.later(func() { o.branch(h, s.Info.Kind+"."+strconv.Itoa(i)) })
		case Element:
			o.later(func() { o.branch(h, s.Info.Kind+".N") })
		case Handler, Hook:
			o.later(func() { o.answer(h) })
		default:
			o.later(func() { o.body(h) })
		}
	}
}

func (o *outline) body(h Held) {
	if h.Bare {
		o.step(&h.Steps[0])
		return
	}
	o.level(h.Steps, h.Under)
}

// branch visits a branch of the current step, or an undo. For an Element, the steps have paths like "each.N/0", with name as
// a segment of its own. Otherwise name and the index of the step are one segment, like "par.0/0".
func (o *outline) branch(h Held, name string) {
	role := Branch
	if h.Role == Undoing {
		role = Undoing
	}
	o.part(h, role, frame.JoinPath(append(o.at, name)))
	o.later(o.end)
	if h.Role != Element {
		o.level(h.Steps, name+"/")
		return
	}
	o.at = append(o.at, name)
	o.later(func() { o.at = o.at[:len(o.at)-1] })
	o.level(h.Steps, "")
}

// answer visits a handler or a hook, which runs in the frame of the current step.
func (o *outline) answer(h Held) {
	o.part(h, h.Role, frame.JoinPath(o.at))
	o.end()
}

// part begins a part that isn't a step.
func (o *outline) part(h Held, role Role, path string) {
	p := Part{Info: &h.Node.Info, In: h.Node.In, Out: h.Node.Out, Path: path, Role: role}
	switch role {
	case Branch:
		p.Info = &site.Info{Kind: "branch", Made: h.Node.Made}
	case Undoing:
		p.Info = &site.Info{Kind: "undo", Made: h.Node.Made}
	default: // the kind of the stage itself
	}
	o.begin(p)
}

func bodyOf(op frame.Op) *tool.Body {
	if w, ok := op.(interface{ Body() *tool.Body }); ok {
		return w.Body()
	}
	return nil
}

func guardOf(op frame.Op) any {
	if o, ok := op.(interface{ Guard() any }); ok {
		return o.Guard()
	}
	return nil
}
