// Package droppednext forgets to return.
package droppednext

import (
	"errors"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

var errNoMoney = errors.New("no money")

var pay = step.New(func(_ step.Scope, amount int) step.Next[int] {
	if amount <= 0 {
		step.Fail[int](errNoMoney) // want `step.Fail makes a step.Next that isn't returned`
	}
	return step.Succeed(amount)
})

var named = step.New(func(_ step.Scope, amount int) (next step.Next[int]) {
	if amount <= 0 {
		step.Fail[int](errNoMoney) // want `step.Fail makes`
		return
	}
	next = step.Succeed(amount)
	return
})

var loop = loopx.Loop(step.New(func(_ step.Scope, n int) step.Next[int] {
	if n > 3 {
		loopx.Break[int]() // want `loopx.Break makes`
	}
	return step.Succeed(n + 1)
}))

var handled = flow.Catch(pay, func(as step.Scope, _ error) step.Next[int] {
	defer step.Unwind[int]() // want `step.Unwind makes`
	refuse(as)               // want `droppednext.refuse makes`
	func() {
		step.Succeed(1) // want `step.Succeed makes`
	}()
	_ = step.Into(as, pay, 1) // want `step.Into makes a step.Next that isn't returned: it is assigned, but never read`
	_ = step.Succeed(1)       //stepvet:ignore it shows that this does nothing
	return refuse(as)
})

func refuse(step.Scope) step.Next[int] { return step.Fail[int](errNoMoney) }

// text has another type: no fix.
func text() step.Next[string] {
	step.Succeed(1) // want `step.Succeed makes`
	return step.Succeed("")
}

func marked() step.Next[int] {
	step.Succeed(1) //stepvet:ignore it shows what is lost
	step.Succeed(5) // want `step.Succeed makes`
	//stepvet:ignore it shows what is lost
	step.Succeed(2)
	step.Succeed(3) /* want `step.Succeed makes` */ //stepvet:ignore
	return step.Succeed(4)
}

var overwrites = step.New(func(as step.Scope, amount int) step.Next[int] {
	next := step.Succeed(amount) // want `step.Succeed makes a step.Next that isn't returned: it is assigned, but never read`
	if amount <= 0 {
		next = step.Fail[int](errNoMoney) // want `step.Fail makes a step.Next that isn't returned: it is assigned, but never read`
	}
	next = step.Into(as, pay, amount)
	return next
})

func chooses(amount int) (next step.Next[int]) {
	next = step.Succeed(amount)
	if amount <= 0 {
		next = step.Fail[int](errNoMoney)
	}
	return next
}

func inLoop(as step.Scope, amounts []int) step.Next[int] {
	next := step.Succeed(0)
	for _, amount := range amounts {
		if amount <= 0 {
			return next
		}
		next = step.Into(as, pay, amount)
	}
	keep := func() { next = step.Unwind[int]() }
	keep()
	return next
}

func asked(as step.Scope) bool {
	only := refuse(as) // want `droppednext.refuse makes a step.Next that isn't returned: it is assigned, but never read`
	only = refuse(as)
	return only == step.Unwind[int]()
}

func decides(as step.Scope) (step.Next[int], bool) { return refuse(as), true }

func decided(as step.Scope) bool {
	_, ok := decides(as)
	return ok
}

func inParentheses(amount int) (next step.Next[int]) {
	if amount <= 0 {
		(step.Fail[int](errNoMoney)) // want `step.Fail makes`
	}
	switch {
	case amount > 3:
		(step.Succeed(3)) // want `step.Succeed makes`
	}
	if step.Succeed(amount); amount > 2 { // want `step.Succeed makes`
		return step.Unwind[int]()
	}
	(step.Succeed(amount)) // want `step.Succeed makes`
	return
}
