package op

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

type branches struct{ frame.Fork }

// kept bounds the number of branches for which pooled memory keeps room.
const kept = 1024

// Clear drops the errors of branches, and the room for branches if it is very large.
func (b *branches) Clear() {
	b.Fork.Clear()
	b.Shrink(kept)
}

// Results gives access to the results of branches, for code that knows their types.
type Results struct{ fork *frame.Fork }

// Len returns the number of branches.
func (r Results) Len() int { return len(r.fork.Branches) }

// Won returns the index of a branch that has won a race: for i = 0 the branch that succeeded first, for 1 the second one.
func (r Results) Won(i int) int { return r.fork.Won(i) }

// ResultOf returns the result of branch i, a T.
func ResultOf[T any](r Results, i int) T { return *plan.OutputOf[T](r.fork.Branches[i].Root()) }

// fork is a step that holds parallel branches (P1–P3, P6).
type fork[In, Out any] struct {
	frame.Leaf
	terms  frame.Terms
	levels []*frame.Level
	join   func(Results) Out
	in     plan.Cell[In]
	out    plan.Cell[Out]
	state  plan.Cell[branches]
}

func (o *fork[In, Out]) Exec(f *frame.Frame) frame.Verdict { return o.exec(f, o.terms.Stagger) }

// exec begins the branches with the given stagger, see [Terms].
func (o *fork[In, Out]) exec(f *frame.Frame, stagger time.Duration) frame.Verdict {
	k := &o.state.At(f).Fork
	k.Terms, k.Stagger = o.terms, stagger
	k.Grow(len(o.levels))
	for i, level := range o.levels {
		b := f.Open(level)
		plan.Give(b, *o.in.At(f))
		k.Branches[i].Call(b)
	}
	return f.Fork(k)
}

func (o *fork[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	k := &o.state.At(f).Fork
	*o.out.At(f) = o.join(Results{k})
	f.Join(k)
	return frame.Done
}
