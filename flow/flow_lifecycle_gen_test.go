package flow_test

import (
	"fmt"
	"iter"
)

// life is a combination of what can happen to a step.
type life struct {
	place place
	work  work
	end   ending
	stop  stopping
	limit limiting
	catch catching
	hook  bool
	stack bool
}

type place uint8

const (
	alone   place = iota // a step of the outermost level
	beside               // a branch, after one that waits
	inside               // sub-step of a step that only enters it
	grouped              // the second of two steps, which share the handler if there is one
	places
)

type work uint8

const (
	function work = iota // step.Func
	direct               // step.New that answers at once
	waiting              // step.New that waits for a callback
	entering             // step.New with sub-steps
	awaiting             // a goroutine
	works
)

type ending uint8

const (
	succeeds ending = iota
	fails
	panics
	exits // runtime.Goexit
	endings
)

type stopping uint8

const (
	never stopping = iota
	before
	during
	after
	stoppings
)

type limiting uint8

const (
	unlimited limiting = iota
	strict             // passes while the step works, if that takes time
	generous           // never passes
	limitings
)

type catching uint8

const (
	uncaught catching = iota
	recovers
	replaces
	silent
	substitutes // with sub-steps
	catchings
)

func lives() iter.Seq[life] {
	return func(yield func(life) bool) {
		const total = int(places) * int(works) * int(endings) * int(stoppings) * int(limitings) * int(catchings) * 4
		for i := range total {
			n := i
			draw := func(of int) int { d := n % of; n /= of; return d }
			l := life{
				place: place(draw(int(places))),
				work:  work(draw(int(works))),
				end:   ending(draw(int(endings))),
				stop:  stopping(draw(int(stoppings))),
				limit: limiting(draw(int(limitings))),
				catch: catching(draw(int(catchings))),
				hook:  draw(2) == 1,
				stack: draw(2) == 1,
			}
			if !yield(l) {
				return
			}
		}
	}
}

func (l life) String() string {
	s := fmt.Sprintf("%s %s that %s, cancel %s, %s, %s",
		[...]string{"lone", "parallel", "inner", "grouped"}[l.place],
		[...]string{"func", "body", "wait", "sub-steps", "goroutine"}[l.work],
		[...]string{"succeeds", "fails", "panics", "exits"}[l.end],
		[...]string{"never", "before", "during", "after"}[l.stop],
		[...]string{"unlimited", "strict limit", "generous limit"}[l.limit],
		[...]string{"no handler", "recovers", "replaces", "silent", "substitutes"}[l.catch])
	if l.hook {
		s += ", hook"
	}
	if l.stack {
		s += ", stack"
	}
	return s
}
