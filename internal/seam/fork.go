package seam

import "github.com/futoin-go/asyncsteps/internal/frame"

// fork is a step that holds parallel branches (P1–P3).
type fork struct {
	frame.Leaf
	fork frame.Fork
	join func() // gathers the results
}

func (o *fork) Exec(f *frame.Frame) frame.Verdict { return f.Fork(&o.fork) }

func (o *fork) Resume(*frame.Frame) frame.Verdict {
	o.join()
	return frame.Done
}

// Fork runs branches in parallel, each on the same input. join is given the
// cells of their results, in order, and makes the function that gathers them.
func Fork[In, Out any](skip int, kind string, branches []*Node, join func(results []any) func(*Out)) *Stage[In, Out] {
	kids := make([]Kid, len(branches))
	for i, b := range branches {
		kids[i] = Kid{b, Branch}
	}
	var n *Node
	n = NewNode[In, Out](kind, skip+1, func(e *Emitter) {
		o := &fork{fork: frame.Fork{Branches: make([]frame.Branch, len(kids))}}
		in := e.Value()
		results := make([]any, len(kids))
		e.Then(func(e *Emitter) {
			out, gather := Output[Out](e), join(results)
			o.join = func() { gather(&out.V) }
			e.Op(&n.Info, o)
		})
		for i := len(kids) - 1; i >= 0; i-- {
			e.Then(func(e *Emitter) {
				e.At(in)
				e.Level(kids[i].Node, func(level *frame.Level) {
					results[i] = e.Value()
					o.fork.Branches[i].Init(e.inst, level)
				})
			})
		}
	}, kids...)
	return NewStage[In, Out](n)
}
