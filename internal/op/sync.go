package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// section is a step whose sub-steps run inside of a guard. The guard is left when they have
// succeeded. Otherwise the guard is left when the machine would call a hook of the step:
// before handlers around the step are asked (G1).
type section[In, Out any] struct {
	group[In, Out]
	guard  guard.Guard                    // if choose is set, only its Key is used
	choose func(In) (*guard.Guard, error) // returns the guard for an input; choose is nil if that is always guard
	weight func(In) int                   // returns the weight for an input; weight is nil if that is always 1
	state  plan.Cell[guard.Section]
}

func (o *section[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	g := &o.guard
	weight := 1
	if o.weight != nil {
		weight = o.weight(*o.in.At(f))
	}
	if o.choose != nil {
		chosen, err := o.choose(*o.in.At(f))
		if err != nil {
			return f.Fail(err)
		}
		g = chosen
	}
	return o.inside(f, o.state.At(f).Enter(f, g, weight))
}

func (o *section[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	if !s.Inside() {
		return o.inside(f, s.Resume(f))
	}
	_ = plan.Result(f, o.out.At(f))
	s.Leave(f)
	return frame.Done
}

func (o *section[In, Out]) inside(f *frame.Frame, v frame.Verdict) frame.Verdict {
	if v == frame.Entered {
		return o.enter(f)
	}
	return v
}

// Release implements frame.Holder.
func (o *section[In, Out]) Release(f *frame.Frame) { o.state.At(f).Release() }

// Guard returns the Key of the guard that the step is a section of.
func (o *section[In, Out]) Guard() any { return o.guard.Key }

// Sync runs s inside of g (§1.11). A non-empty bad is the reason why g can't be used; the stage then can't be run.
func Sync[In, Out any](g guard.Guard, bad string, s *plan.Stage[In, Out]) *plan.Stage[In, Out] {
	return SyncBy(g, nil, nil, bad, s)
}

// SyncBy is Sync for a guard that may depend on the input: if choose isn't nil, it returns the guard, and of g only the Key
// is used. weight returns the weight of the section; if weight is nil that is 1.
func SyncBy[In, Out any](
	g guard.Guard, choose func(In) (*guard.Guard, error), weight func(In) int, bad string, s *plan.Stage[In, Out],
) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out]("sync", func(e *plan.Emitter, n *plan.Node) {
		state := plan.State[guard.Section](e)
		holding(e, s.Node(), func(e *plan.Emitter, inside group[In, Out], body plan.Held) {
			e.Op(n, &section[In, Out]{inside, g, choose, weight, state}, body)
		})
	}, s.Node())
	if bad != "" {
		n.Reject(bad)
	}
	return plan.NewStage[In, Out](n)
}

// IsSection reports whether the current step of f is a section of g.
func IsSection[G comparable](f *frame.Frame, g G) bool {
	o, ok := f.Op().(interface{ Guard() any })
	if !ok {
		return false
	}
	key, ok := o.Guard().(G)
	return ok && key == guard.Unwrap(g)
}
