package seam

import "github.com/futoin-go/asyncsteps/internal/frame"

// branches is the state of a step that holds parallel branches.
type branches struct{ frame.Fork }

// kept bounds the branches that memory keeps room for when no run uses it.
const kept = 1024

// Clear drops errors of branches, and lets go of room for very many branches.
func (b *branches) Clear() {
	b.Fork.Clear()
	if cap(b.Branches) > kept {
		b.Branches = nil
	}
}

// Results are those of branches, in their order, for whoever knows their types.
type Results struct{ fork *frame.Fork }

// Len is how many there are.
func (r Results) Len() int { return len(r.fork.Branches) }

// Won is the branch that has succeeded as number i, from 0, in a race.
func (r Results) Won(i int) int { return r.fork.Won(i) }

// ResultOf is the result of branch i, a T.
func ResultOf[T any](r Results, i int) T { return *result[T](r.fork.Branches[i].Root()) }

// fork is a step that holds parallel branches (P1–P3, P6).
type fork[In, Out any] struct {
	frame.Leaf
	terms  frame.Terms
	levels []*frame.Level
	join   func(Results) Out
	in     Cell[In]
	out    Cell[Out]
	state  Cell[branches]
}

func (o *fork[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	k := &o.state.At(f).Fork
	k.Terms = o.terms
	k.Grow(len(o.levels))
	for i, level := range o.levels {
		b := f.Open(level)
		give(b, *o.in.At(f))
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

// Winners implements frame.Racer.
func (o *fork[In, Out]) Winners(f *frame.Frame) []int {
	k := &o.state.At(f).Fork
	if o.terms.Wins == 0 || !k.Decided() {
		return nil
	}
	won := make([]int, o.terms.Wins)
	for i := range won {
		won[i] = k.Won(i)
	}
	return won
}

// Fork runs branches in parallel, each on the same input. join gathers their
// results.
func Fork[In, Out any](kind string, nodes []*Node, join func(Results) Out) *Stage[In, Out] {
	return Race[In](kind, Terms{}, nodes, join)
}

// Terms say what decides a race.
type Terms = frame.Terms

// Race is Fork for a step that some of its branches may decide, by the terms.
func Race[In, Out any](kind string, terms Terms, nodes []*Node, join func(Results) Out) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out](kind, func(e *Emitter) {
		o := &fork[In, Out]{terms: terms, levels: make([]*frame.Level, len(nodes)), join: join, state: State[branches](e)}
		holds := make([]Held, len(nodes))
		e.Then(func(e *Emitter) {
			o.in = Input[In](e)
			o.out = Output[Out](e)
			e.Op(n, o, holds...)
		})
		for i, branch := range nodes {
			Level[In](e, branch, func(_ *Emitter, level Emitted) {
				o.levels[i], holds[i] = level.Level, Held{Branch, branch, level.Steps}
			})
		}
	}, nodes...)
	return NewStage[In, Out](n)
}
