package syncx

import (
	"cmp"
	"reflect"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/step"
)

// Sync runs s inside of g. Input and result are those of s. If the flow has to wait for g, only that flow waits; g decides in
// which order flows enter.
//
// Errors: if g rejects the flow, the step fails with the error of g, and handlers around Sync are asked; see the constructor
// of the guard. A handler inside, as in Sync(g, flow.Catch(s, handler)), runs while the flow is still inside. If an error of
// s leaves Sync, the flow leaves the guard before handlers around Sync are asked.
//
// Cancellation: a timeout or cancel while waiting takes the flow out of the queue; it doesn't enter. Inside, s is left
// first, then the guard.
//
// A nil g or s, a g that isn't comparable or isn't well formed, and a panic of its Err are reported when the plan is
// started, before anything runs, and by flow.Plan.Err. Sync itself allocates nothing once its pools are filled, whether the
// flow has to wait or not.
//
//spec:ftn12 §1.11.3, §2.2.1 sync
func Sync[In, Out any](g Guard, s step.Step[In, Out]) flow.Plan[In, Out] {
	own, bad := asked(g)
	section := op.Sync(own, bad, op.Given(s, "Sync: the stage is nil"))
	section.Node().Tell(func() []plan.Parameter { return parameters(g) })
	return flow.Of(section)
}

// asked returns the functions of g in the form that sections call, or bad, the reason why g can't be used.
func asked(g Guard) (own guard.Guard, bad string) {
	own.Key = g
	if bad = defect(g); bad != "" {
		return own, bad
	}
	if w, ok := g.(*limitedWait); ok {
		return w.asked()
	}
	own.Enter = func(c *guard.Ticket) (bool, error) { return g.Enter((*Ticket)(c)) }
	own.Leave = func(c *guard.Ticket) { g.Leave((*Ticket)(c)) }
	own.Withdraw = func(c *guard.Ticket) { g.Withdraw((*Ticket)(c)) }
	teach(&own, g)
	lend(&own, g)
	return own, ""
}

func defect(g Guard) string {
	if g == nil {
		return "Sync: the guard is nil"
	}
	if !reflect.ValueOf(g).Comparable() {
		return "Sync: the guard's type isn't comparable"
	}
	own, ok := g.(interface{ Err() error })
	if !ok {
		return ""
	}
	bad := ""
	usercode.Protect(func() {
		if err := own.Err(); err != nil {
			bad = cmp.Or(fault.InfoOf(err), err.Error(), "Sync: the guard isn't well formed")
		}
	}, func(broken error) {
		if broken != nil {
			bad = "Sync: the guard's Err failed: " + broken.Error()
		}
	})
	return bad
}

func invalid(what string) error { return fault.New(fault.InvalidRequest, what) }
