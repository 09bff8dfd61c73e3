package mistakes_test

import (
	"errors"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
)

var messages = []mistake{
	{"order of two answers", "the answer to an older question is shown last", orderOfAnswers, false},
	{"retry overtakes the first try", "the first try arrives after what came behind the retry", retryOvertakes, false},
	{"undone before it is done", "the refund of a charge comes before the charge", undoneFirst, false},
	{"wrong winner", "who was last to finish is noted, and not who won the race", wrongWinner, false},
	{"two deliveries", "a reply and a limit both answer the caller", twoDeliveries, false},
	{"the limit passes at the success", "what has succeeded is tried again, because the limit passed first", limitAtSuccess, false},
}

func orderOfAnswers(p *program) error {
	shown, newest := 0, 0
	ask := func(question int) explore.Action {
		return p.when("an answer", func() {
			if p.fixed && question < newest {
				return
			}
			shown, newest = question, question
		})
	}
	p.start(hops(2))
	return errors.Join(p.ends(ask(1), ask(2), ask(3)), expect("shown", shown, 3))
}

// retryOvertakes has a client that sets a value, gets no answer, sets it again, and then sets another one.
func retryOvertakes(p *program) error {
	value, newest := 0, 0
	set := func(to, number int) act {
		return call(func() {
			if p.fixed && number <= newest {
				return
			}
			value, newest = to, number
		})
	}
	p.start(hop(), set(1, 1)) // the first try, under way
	p.start(hops(2), set(1, 1), hops(2), set(2, 2))
	return errors.Join(p.ends(), expect("value", value, 2))
}

func undoneFirst(p *program) error {
	charged, refunded := 0, false
	charge := p.begins("charge", hop(), call(func() {
		if p.fixed && refunded {
			return
		}
		charged++
	}))
	refund := p.begins("refund", hop(), call(func() {
		refunded = true
		charged = max(0, charged-1)
	}))
	return errors.Join(p.ends(charge, refund), expect("charged", charged, 0))
}

func wrongWinner(p *program) error {
	noted, won := 0, 0
	branch := func(n, rounds int) step.Step[step.Unit, int] {
		var work []act
		for range rounds {
			work = append(work, hop(), call(func() {}))
		}
		runs := flow.Chain(flow.Chain(work...), call(func() { noted = n }), hop())
		return flow.Then(runs, step.Map(func(step.Unit) int { return n }))
	}
	keep := step.Map(func(n int) step.Unit {
		if won = n; p.fixed {
			noted = n
		}
		return step.Unit{}
	})
	p.start(flow.Then(flow.First(branch(1, 1), branch(2, 4)), keep))
	return errors.Join(p.ends(), expect("noted", noted, won))
}

func twoDeliveries(p *program) error {
	answered, delivered := false, 0
	deliver := func() {
		answered = true
		delivered++
	}
	open := false
	p.start(
		hop(),
		call(func() { open = !answered; answered = answered || p.fixed }),
		hop(),
		call(func() {
			if open {
				deliver()
			}
		}),
	)
	err := p.ends(p.when("the limit passes", func() {
		if !answered {
			deliver()
		}
	}))
	return errors.Join(err, expect("delivered", delivered, 1))
}

func limitAtSuccess(p *program) error {
	p.Slow()
	charged, known := 0, false
	charge := step.New(func(as step.Scope, u step.Unit) step.Next[step.Unit] {
		if p.fixed && known { // the second try has the key of the first
			return step.Succeed(u)
		}
		known = true
		charged++
		return step.Wait(as, func(done step.Done[step.Unit]) {
			_, _ = as.Loop().Immediate(func() { done.Succeed(u) })
		})
	})
	again := func(as step.Scope, _ error) step.Next[step.Unit] { return step.Into(as, charge, step.Unit{}) }
	p.start(hops(2), flow.Catch(flow.Timeout(time.Second, charge), again))
	return errors.Join(p.ends(), expect("charged", charged, 1))
}
