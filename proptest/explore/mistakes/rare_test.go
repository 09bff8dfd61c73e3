package mistakes_test

import (
	"errors"
	"fmt"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
)

// Mistakes that need several departures from the plain order, a certain point of a long run, or a run that is held up for
// long, some of them among unrelated runs.
var rare = []mistake{
	{"lost update among others", "six runs of four waits are beside it", among(6, 4, lostUpdate), true},
	{"used before it is ready, among others", "six runs of six waits are beside it", among(6, 6, usedBeforeReady), true},
	{"retry overtakes, among others", "four runs of ten waits are beside it", among(4, 10, retryOvertakes), true},
	{"ABA among others", "four runs of six waits are beside it", among(4, 6, aba), true},
	{"lease that is over, among others", "four runs of eight waits are beside it", among(4, 8, leaseIsOver), true},
	{"published after the cancel, among others", "eight runs of four waits are beside it", among(8, 4, publishedAfterCancel), true},
	{"two leaks", "two runs of eight are cancelled, each before its release is known", leaks(8, 2), false},
	{"three leaks", "three runs of six are cancelled, each before its release is known", leaks(6, 3), false},
	{"a run that is held up", "a reader is overtaken by nine of ten writers", heldUp, false},
	{"late in a long run", "a cancel comes between the last two of 22 steps", lateInALongRun, false},
	{"four in reverse", "four runs come to their turn in the reverse of the order in which they began", inReverse, false},
}

// among returns a mistake beside unrelated runs.
func among(n, waits int, body func(p *program) error) func(p *program) error {
	return func(p *program) error {
		p.others(n, waits)
		return body(p)
	}
}

// leaks loses places of a pool, and fails if none is left.
func leaks(runs, places int) func(p *program) error {
	return func(p *program) error {
		taken := 0
		var cancels []explore.Action
		for i := range runs {
			run := p.start(hops(1), p.holder(&taken))
			if i < places {
				cancels = append(cancels, p.cancelled(fmt.Sprint("cancel ", i), run))
			}
		}
		err := p.ends(cancels...)
		if taken >= places {
			return errors.Join(err, fmt.Errorf("%d of %d places are lost", taken, places))
		}
		return err
	}
}

// heldUp has a reader of a ring of eight places.
func heldUp(p *program) error {
	var ring [8]int
	written, from, got := 0, 0, 0
	p.start(
		call(func() { from = written }),
		hop(),
		call(func() { got = ring[from%len(ring)] }),
	)
	for range 10 {
		p.start(hops(3), call(func() {
			if p.fixed && written-from >= len(ring) {
				return
			}
			ring[written%len(ring)] = written
			written++
		}))
	}
	err := p.ends()
	if got > from {
		return errors.Join(err, fmt.Errorf("read %d at %d", got, from))
	}
	return err
}

func lateInALongRun(p *program) error {
	paid := 0
	pay := call(func() { paid++ })
	plan := flow.Chain(hops(20), pay, hop())
	if p.fixed {
		plan = flow.Saga(flow.Chain(hops(20), flow.Undo(pay, call(func() { paid-- })), hop()))
	}
	run := p.start(plan)
	err := p.ends(p.cancelled("cancel", run))
	if _, failed := run.Result(); failed != nil && paid > 0 {
		return errors.Join(err, errors.New("paid for what was cancelled"))
	}
	return err
}

func inReverse(p *program) error {
	var order []int
	turn := func(n int) act {
		return call(func() {
			if p.fixed && len(order) != n {
				return
			}
			order = append(order, n)
		})
	}
	for i := range 4 {
		p.start(hops(4), turn(i), hops(2))
	}
	err := p.ends()
	if fmt.Sprint(order) == "[3 2 1 0]" {
		return errors.Join(err, fmt.Errorf("in the order %v", order))
	}
	return err
}
