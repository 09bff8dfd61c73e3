package play

import (
	"fmt"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

// outside holds the calls that wait for answers of the player.
type outside struct{ open []call }

type call struct {
	name   string
	answer func()
	fail   func()
}

var errSaidNo = fault.New("SaidNo", "the other side said no")

// trip is the plan of examples/quickstart, with calls that the player answers.
func (o *outside) trip() flow.Plan[string, string] {
	slowAir := ask(o, "slowAir", func(city string) int { return 10 * len(city) })
	quickAir := ask(o, "quickAir", func(city string) int { return 20 * len(city) })
	book := ask(o, "book", func(fare int) string { return fmt.Sprint("seat 12A for ", fare) })
	giveBack := ask(o, "giveBack", func(seat string) string { return seat })
	charge := ask(o, "charge", func(seat string) string { return seat + ", paid" })

	fare := flow.Hedge(50*time.Millisecond, slowAir, quickAir)
	seat := flow.Undo(book, giveBack)
	bank := flow.Named("bank", flow.Timeout(50*time.Millisecond, charge))
	return flow.Saga(flow.Then(fare, flow.Then(seat, retry.Of(retry.Policy{Tries: 2}, bank))))
}

// ask returns a step that waits until the player answers or fails its call, or the run leaves it.
func ask[In, Out any](o *outside, name string, answer func(In) Out) flow.Plan[In, Out] {
	return flow.Named(name, step.New(func(as step.Scope, in In) step.Next[Out] {
		as.SetCancel(func() { o.close(name) })
		return step.Wait(as, func(done step.Done[Out]) {
			o.open = append(o.open, call{
				name:   name,
				answer: func() { o.close(name); done.Succeed(answer(in)) },
				fail:   func() { o.close(name); done.Fail(errSaidNo) },
			})
		})
	}))
}

func (o *outside) close(name string) {
	o.open = slices.DeleteFunc(o.open, func(c call) bool { return c.name == name })
}

func (o *outside) find(name string) (call, bool) {
	i := slices.IndexFunc(o.open, func(c call) bool { return c.name == name })
	if i < 0 {
		return call{}, false
	}
	return o.open[i], true
}
