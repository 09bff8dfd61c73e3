package mistakes_test

import (
	"errors"
	"fmt"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

var locks = []mistake{
	{"deadlock of two", "two runs take two locks in two orders", deadlockOfTwo, false},
	{"deadlock in a ring", "five runs each take a lock and want their neighbour's", deadlockInARing, false},
	{"lock given back too early", "the section ends before the write", lockTooShort, false},
	{"lost wake-up", "a run looks, and begins to wait after it was woken", lostWakeUp, false},
	{"wrong bound", "two producers see the last place of a queue", wrongBound, false},
	{"lease that is over", "a run writes under a lease that another one has by now", leaseIsOver, false},
	{"listener that has left", "an event is told to who has gone since the list was read", listenerHasLeft, false},
}

func deadlockOfTwo(p *program) error {
	a, b := mutex(), mutex()
	both := func(first, second *syncx.Mutex) act {
		return syncx.Sync(first, flow.Chain(hop(), syncx.Sync(second, hop())))
	}
	other := both(b, a)
	if p.fixed {
		other = both(a, b)
	}
	p.start(both(a, b))
	return p.ends(p.begins("the other", other))
}

func deadlockInARing(p *program) error {
	const n = 5
	var ring [n]*syncx.Mutex
	for i := range ring {
		ring[i] = mutex()
	}
	one := func(i int) act {
		first, second := i, (i+1)%n
		if p.fixed && second < first {
			first, second = second, first
		}
		return syncx.Sync(ring[first], flow.Chain(hop(), syncx.Sync(ring[second], hop())))
	}
	p.start(one(0))
	return p.ends(
		p.begins("1", one(1)), p.begins("2", one(2)), p.begins("3", one(3)), p.begins("4", one(4)),
	)
}

func lockTooShort(p *program) error {
	m, balance := mutex(), 0
	deposit := func() act {
		seen := 0
		read := flow.Chain(call(func() { seen = balance }), hop())
		write := flow.Chain(hop(), call(func() { balance = seen + 50 }))
		if p.fixed {
			return syncx.Sync(m, flow.Chain(read, write))
		}
		return flow.Chain(syncx.Sync(m, read), write)
	}
	p.start(deposit())
	return errors.Join(p.ends(p.begins("another deposit", deposit())), expect("balance", balance, 100))
}

func lostWakeUp(p *program) error {
	var e event
	looked := false
	listen := step.New(func(as step.Scope, u step.Unit) step.Next[step.Unit] {
		if looked || p.fixed && e.happened {
			return step.Succeed(u)
		}
		return step.Wait(as, e.enqueue)
	})
	p.start(call(func() { looked = e.happened }), hop(), listen)
	return p.ends(p.begins("wake", hop(), call(e.set)))
}

func wrongBound(p *program) error {
	const bound = 2
	queued, most := 0, 0
	produce := func() act {
		free := false
		return flow.Chain(
			call(func() {
				if free = queued < bound; free && p.fixed {
					queued++
				}
			}),
			hop(),
			call(func() {
				if free && !p.fixed {
					queued++
				}
				most = max(most, queued)
			}),
		)
	}
	consume := call(func() { queued = max(0, queued-1) })
	p.start(produce(), produce())
	p.begin(hops(4), consume)
	err := p.ends(p.begins("another producer", produce(), produce()))
	if most > bound {
		return errors.Join(err, fmt.Errorf("%d queued, the bound is %d", most, bound))
	}
	return err
}

// leaseIsOver has a holder that is held up while its lease ends and another one takes over.
func leaseIsOver(p *program) error {
	holder, written, fence := 1, 0, 0
	write := func(by, token int) {
		if p.fixed && token < fence {
			return
		}
		written, fence = by, token
	}
	mine := false
	p.start(
		call(func() { mine = holder == 1 }),
		hop(),
		call(func() {
			if mine {
				write(1, 1)
			}
		}),
	)
	err := p.ends(p.begins("the lease ends",
		hops(3),
		call(func() { holder = 2 }),
		hops(2),
		call(func() { write(2, 2) }),
	))
	return errors.Join(err, expect("written", written, 2))
}

func listenerHasLeft(p *program) error {
	listens, late := [2]bool{true, true}, 0
	var list [2]bool
	tell := func(i int) act {
		return flow.Chain(hop(), call(func() {
			if !list[i] || p.fixed && !listens[i] {
				return
			}
			if !listens[i] {
				late++
			}
		}))
	}
	p.start(hop(), call(func() { list = listens }), tell(0), tell(1))
	err := p.ends(p.when("the second leaves", func() { listens[1] = false }))
	return errors.Join(err, expect("told after they have left", late, 0))
}
