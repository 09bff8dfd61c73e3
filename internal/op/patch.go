package op

import (
	"context"
	"strings"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// patched is a step that has two versions, and executes one of them each time.
type patched[In, Out any] struct {
	group[In, Out] // body is the present version
	former         *frame.Level
	before         func(context.Context) bool
}

func (o *patched[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	level := o.body
	if o.before(f.Outer()) {
		level = o.former
	}
	return f.Call(open(f, level, *o.in.At(f)))
}

// Patch executes old if useOld returns true for the context of the step, and changed otherwise. old must be a
// single step, because it keeps the path that it would have without the patch. The steps of changed have paths of
// their own.
func Patch[In, Out any](name string, old, changed *plan.Stage[In, Out], useOld func(context.Context) bool) *plan.Stage[In, Out] {
	under := "patch." + name + "/"
	n := plan.NewNode[In, Out]("patch", func(e *plan.Emitter, n *plan.Node) {
		plan.Level[In](e, old.Node(), func(e *plan.Emitter, former plan.Emitted) {
			former.Bare = true
			plan.Level[In](e, changed.Node(), func(e *plan.Emitter, present plan.Emitted) {
				present.Under = under
				in := plan.Input[In](e)
				o := &patched[In, Out]{group[In, Out]{body: present.Level, in: in, out: plan.Output[Out](e)}, former.Level, useOld}
				e.Op(n, o,
					plan.Held{Role: plan.Body, Node: old.Node(), Steps: former.Steps, Bare: true},
					plan.Held{Role: plan.Body, Node: changed.Node(), Steps: present.Steps, Under: under})
			})
		})
	}, old.Node(), changed.Node())
	n.Name = name
	n.Handled = old.Node().Handled // otherwise the patch would change the path of the step if a handler is around it
	switch {
	case name == "" || strings.Contains(name, "/"):
		n.Reject("Patch: the name is empty or has a slash")
	case !old.Node().One():
		n.Reject("Patch " + name + ": the former part is several steps: patch one of them, or a flow.Named around them that was there before")
	}
	return plan.NewStage[In, Out](n)
}
