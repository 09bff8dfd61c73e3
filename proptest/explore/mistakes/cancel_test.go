package mistakes_test

import (
	"errors"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
)

// Runs that are cancelled or stopped.
var cancels = []mistake{
	{"cancel before the release is known", "a place is taken, and what gives it back isn't registered yet", leak, false},
	{"used after the cancel", "a callback writes into a buffer that the cancel has given back", usedAfterCancel, false},
	{"published after the cancel", "a run looks whether it should go on, waits, and publishes", publishedAfterCancel, false},
	{"half of a transfer", "a cancel comes between the withdrawal and the deposit", halfATransfer, false},
}

func (p *program) holder(taken *int) act {
	take := func() { *taken++ }
	back := func() { *taken-- }
	work := hops(4)
	if p.fixed {
		release := step.Map(func(flow.Ended[step.Unit, step.Unit]) step.Unit {
			back()
			return step.Unit{}
		})
		return flow.Bracket(call(take), work, release)
	}
	registered := step.New(func(as step.Scope, u step.Unit) step.Next[step.Unit] {
		step.StackCleanup(as, func(*int) { back() })
		return step.Into(as, work, u)
	})
	return flow.Chain(call(take), hop(), registered)
}

// cancelled returns an action that cancels a run.
func (p *program) cancelled(name string, run *flow.Running[step.Unit]) explore.Action {
	return p.when(name, func() { run.Cancel(nil) })
}

func leak(p *program) error {
	taken := 0
	run := p.start(hops(2), p.holder(&taken))
	return errors.Join(p.ends(p.cancelled("cancel", run)), expect("taken", taken, 0))
}

func usedAfterCancel(p *program) error {
	freed, late := false, 0
	read := step.New(func(as step.Scope, u step.Unit) step.Next[step.Unit] {
		given := false
		as.SetCancel(func() { given = true })
		step.StackCleanup(as, func(*int) { freed = true })
		return step.Wait(as, func(done step.Done[step.Unit]) {
			_, _ = as.Loop().Immediate(func() {
				if p.fixed && given {
					return
				}
				if freed {
					late++
				}
				done.Succeed(u)
			})
		})
	})
	run := p.start(hops(2), read, hops(4))
	return errors.Join(p.ends(p.cancelled("cancel", run)), expect("written into what was given back", late, 0))
}

func publishedAfterCancel(p *program) error {
	stopped, wrong := false, 0
	stop := false
	p.start(
		hops(6),
		call(func() { stop = stopped }),
		hop(),
		call(func() {
			if stop || p.fixed && stopped {
				return
			}
			if stopped {
				wrong++
			}
		}),
	)
	err := p.ends(p.when("stop", func() { stopped = true }))
	return errors.Join(err, expect("published after the stop", wrong, 0))
}

func halfATransfer(p *program) error {
	a, b := 50, 0
	withdraw := call(func() { a -= 50 })
	deposit := call(func() { b += 50 })
	transfer := flow.Chain(withdraw, hop(), deposit)
	if p.fixed {
		undoable := flow.Undo(deposit, call(func() { b -= 50 }))
		transfer = flow.Saga(flow.Chain(flow.Undo(withdraw, call(func() { a += 50 })), hop(), undoable))
	}
	run := p.start(hops(2), transfer, hops(2))
	return errors.Join(p.ends(p.cancelled("cancel", run)), expect("sum", a+b, 50))
}
