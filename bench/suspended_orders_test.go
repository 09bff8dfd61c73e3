package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// SuspendedOrders: n orders, which wait at once in one ParEach. Each is a saga of two services that can be undone and a third
// one, in which it waits. Each service is tried up to three times, each time within a limit.
func BenchmarkSuspendedOrders(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("col=asyncsteps/n=%d", n), func(b *testing.B) { lives(b, newOrders(n)) })
	}
}

// parcel is the input and the result of each service.
type parcel struct {
	number int
	_      [52]byte // its address
}

type parcels = step.Step[parcel, parcel]

type orders struct {
	plan    flow.Plan[[]parcel, []parcel]
	in      []parcel
	loop    *tool.Manual
	running *flow.Running[[]parcel]
	waiting []step.Done[parcel]
}

func newOrders(n int) *orders {
	o := &orders{in: make([]parcel, n), loop: tool.NewManual(tool.Options{}), waiting: make([]step.Done[parcel], 0, n)}
	for i := range o.in {
		o.in[i].number = i
	}
	keep := func(done step.Done[parcel]) { o.waiting = append(o.waiting, done) }
	inform := step.New(func(as step.Scope, _ parcel) step.Next[parcel] { return step.Wait(as, keep) })
	plain := step.Map(func(p parcel) parcel { return p })
	call := func(s parcels) parcels { return retry.Of(retry.Policy{Tries: sagaTries}, flow.Timeout(time.Hour, s)) }
	o.plan = flow.ParEach(n, flow.Saga(flow.Chain(
		flow.Undo(call(plain), plain),
		flow.Undo(call(plain), plain),
		call(inform),
	)))
	return o
}

func (o *orders) size() int { return len(o.in) }

func (o *orders) each() int { return 1 }

func (o *orders) suspend() {
	o.waiting = o.waiting[:0]
	o.running = flow.Start(background, o.loop, o.plan, o.in)
	for o.loop.Iterate() {
	}
}

func (o *orders) finish() (total int, err error) {
	for _, done := range o.waiting {
		done.Succeed(parcel{number: 1})
	}
	for o.loop.Iterate() {
	}
	out, err := o.running.Result()
	for _, p := range out {
		total += p.number
	}
	return total, err
}
