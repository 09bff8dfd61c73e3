package seam

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Part is one step of a plan as the machine sees it; or one of its parallel
// branches, or what answers its errors or its cancel.
type Part struct {
	frame.Info
	In, Out reflect.Type
	Path    string // as Frame.Path gives it; an element of each is each.N
	Role    Role   // Next, Branch, Handler or Hook
	Loop    bool
}

// Outline visits the parts of the plan n in the order of the plan. What a part
// holds is visited between its begin and its end.
//
// Nodes are not steps: a sequence is no step, and a name or a handler belongs
// to the step it is given to. What each constructor of this package emits is
// repeated here as data, and tests compare it with the paths of runs.
func Outline(n *Node, begin func(Part), end func()) {
	o := &outline{begin: begin, end: end}
	o.level(n, "")
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
	todo  []func() // the next one last
	at    []string // the path of the current step
	in    *counter // the current level
}

// counter numbers the steps of a level.
type counter struct {
	prefix string // of the step's segment: the branch, "par.1/"
	pc     int
}

func (o *outline) later(do func()) { o.todo = append(o.todo, do) }

// level visits the steps of n, one level further in.
func (o *outline) level(n *Node, prefix string) {
	outer := o.in
	o.in = &counter{prefix: prefix}
	o.descend("")
	o.later(func() { o.in = outer })
	o.later(func() { o.node(n) })
}

// descend adds a segment to the path until what is asked for next is done.
func (o *outline) descend(segment string) {
	o.at = append(o.at, segment)
	o.later(func() { o.at = o.at[:len(o.at)-1] })
}

// node visits the steps that n adds to the current level.
func (o *outline) node(n *Node) {
	for _, kid := range slices.Backward(n.Kids) {
		if kid.Role == Next {
			o.later(func() { o.node(kid.Node) })
		}
	}
	switch ownSteps(n) {
	case 0:
	case 2:
		o.later(func() { o.part(Part{Info: frame.Info{Kind: "result", PC: n.PC}, In: n.Out, Out: n.Out}) })
		fallthrough
	default:
		o.step(fuse(n))
	}
}

// step visits one step and what it holds.
func (o *outline) step(s fused) {
	p := Part{Info: s.node.Info, In: s.node.In, Out: s.node.Out, Loop: s.node.Loop}
	if s.named {
		p.Name = s.name
	}
	if p.Kind == "copy" {
		p.Out = p.In // it sets variables; the steps that follow give the result
	}
	o.later(o.end)
	if s.handler != nil {
		o.later(func() { o.answer(s.handler, Handler) })
	}
	for i, kid := range slices.Backward(s.node.Kids) {
		switch kid.Role {
		case Body:
			if p.Kind == "each" {
				o.later(func() { o.branch(kid.Node, "each.N", true) })
			} else {
				o.later(func() { o.level(kid.Node, "") })
			}
		case Branch:
			o.later(func() { o.branch(kid.Node, p.Kind+"."+strconv.Itoa(i), false) })
		case Handler, Hook:
			o.later(func() { o.answer(kid.Node, kid.Role) })
		case Next:
		}
	}
	o.open(p)
}

// part visits a step that holds nothing.
func (o *outline) part(p Part) {
	o.open(p)
	o.end()
}

// open begins the next step of the level.
func (o *outline) open(p Part) {
	o.at[len(o.at)-1] = o.in.prefix + strconv.Itoa(o.in.pc)
	o.in.pc++
	p.Path = frame.JoinPath(o.at)
	o.begin(p)
}

// branch visits a branch of the current step. If it is a lane of each its
// outermost level is hidden, so the steps are a level of their own.
func (o *outline) branch(n *Node, name string, hidden bool) {
	o.begin(Part{
		Info: frame.Info{Kind: "branch", PC: n.PC}, Role: Branch,
		In: n.In, Out: n.Out, Path: frame.JoinPath(append(o.at, name)),
	})
	o.later(o.end)
	if !hidden {
		o.level(n, name+"/")
		return
	}
	o.descend(name)
	o.level(n, "")
}

// answer visits a handler or a hook: it runs in the frame of the current step.
func (o *outline) answer(n *Node, role Role) {
	o.begin(Part{Info: n.Info, In: n.In, Out: n.Out, Path: frame.JoinPath(o.at), Role: role})
	o.end()
}
