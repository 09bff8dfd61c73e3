package mistakes_test

import (
	"errors"

	"github.com/futoin-go/asyncsteps/flow"
)

// Runs that count each other.
var counts = []mistake{
	{"the last one out", "two that leave at once both see nobody, and both switch off the light", lastOneOut, false},
	{"fan-in before all have begun", "the first has ended before the second is counted", fanInTooEarly, false},
	{"closed under way", "the last user closes what a new user has just been given", closedUnderWay, false},
}

func lastOneOut(p *program) error {
	left, closed := 3, 0
	leave := func() act {
		seen := 0
		return flow.Chain(
			hop(),
			call(func() { left--; seen = left }),
			hop(),
			call(func() {
				if p.fixed && seen == 0 || !p.fixed && left == 0 {
					closed++
				}
			}),
		)
	}
	p.start(leave())
	return errors.Join(p.ends(p.begins("another", leave()), p.begins("another", leave())), expect("closed", closed, 1))
}

func fanInTooEarly(p *program) error {
	const n = 3
	begun, ended, told := 0, 0, 0
	if p.fixed {
		begun = n
	}
	task := flow.Chain(hops(4), call(func() {
		if ended++; ended == begun {
			told++
		}
	}))
	spawn := call(func() {
		if !p.fixed {
			begun++
		}
		p.begin(task)
	})
	p.start(spawn, hop(), spawn, hop(), spawn)
	return errors.Join(p.ends(), expect("told that all have ended", told, 1))
}

func closedUnderWay(p *program) error {
	users, open, broken := 1, true, 0
	last := false
	p.start(
		hops(2),
		call(func() {
			users--
			last = users == 0
		}),
		hop(),
		call(func() {
			if last && (!p.fixed || users == 0) {
				open = false
			}
		}),
	)
	err := p.ends(p.begins("a new user",
		call(func() {
			if !open { // it opens another one
				open = true
			}
			users++
		}),
		hops(2),
		call(func() {
			if !open {
				broken++
			}
		}),
	))
	return errors.Join(err, expect("used after it was closed", broken, 0))
}
