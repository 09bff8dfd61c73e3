package dyn

import (
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/guard"
)

// Add adds a step (§2.2.1). Like all methods that add, it adds to the sub-steps of a step whose code or handler runs,
// to the branches of a parallel step, and to the outermost level of a root that isn't executing. After a
// violation it returns a step that will never run.
func (s *Step) Add(body Body, code Code) *Step {
	return s.place().step(plain, body, code)
}

// Parallel adds a step that holds branches: each step that is added to it becomes a branch.
func (s *Step) Parallel(body Body, code Code) *Step {
	return s.place().step(parallel, body, code)
}

// Loop adds a step that runs body again and again until a break. label may be "".
func (s *Step) Loop(body Body, code Code, label string) *Step {
	t := s.place().step(looping, body, code)
	t.label = label
	return t
}

// Repeat is [Step.Loop] for count iterations; see [Step.Index].
func (s *Step) Repeat(body Body, code Code, count uint64, label string) *Step {
	t := s.place().step(counting, body, code)
	t.label, t.count = label, count
	return t
}

// Sync adds a step that runs body inside of g.
func (s *Step) Sync(g guard.Guard, body Body, code Code) *Step {
	t := s.place().step(guarded, body, code)
	t.guard = g
	return t
}

// Plan adds a step that is a compiled plan.
func (s *Step) Plan(p Typed) *Step {
	t := s.place().step(typed, nil, Code{})
	t.native = p
	return t
}

// place returns the level that new steps are added to now; after a violation it is one that is never entered.
func (s *Step) place() *level {
	switch {
	case s.phase == adding && s.info == parallel:
		return s.branch()
	case s.phase != adding && s.said != nothing && s.said != violated:
		s.Break("added steps after its completion")
	case s.phase == going:
		s.Break("added steps while none of its code runs")
		return s.home.level(s.at.flow) // a level that is never entered
	}
	if s.sub == nil {
		s.sub = s.home.level(s.at.flow)
	}
	return s.sub
}

// Flow identifies the fiber: it differs for each root, each execution of an embedded step and each parallel branch.
func (s *Step) Flow() uintptr { return s.at.flow }

var flows atomic.Uintptr

func (s *Step) branch() *level {
	l := s.home.level(flows.Add(1))
	s.branches = append(s.branches, l)
	return l
}

// split starts the branches. They get no values, and their results are dropped (P2).
func (s *Step) split(f *frame.Frame) frame.Verdict {
	s.home.drop(&s.at.value)
	n := len(s.branches)
	s.fork.Grow(n)
	for i, l := range s.branches {
		l.program.Hide = true
		s.fork.Branches[i].Enter(&l.Frame)
	}
	return f.Fork(&s.fork)
}

// next begins the next iteration of a loop, or ends a repeat that has had all of its iterations. All iterations use the
// memory of the first. What the code of an iteration installs ends with that iteration (L2).
func (s *Step) next(f *frame.Frame) frame.Verdict {
	if s.info == counting && s.turn == s.count {
		return frame.Done
	}
	if s.sub == nil {
		s.sub = s.home.level(s.at.flow)
		s.sub.step(plain, s.body, s.code).turns = true
	}
	s.sub.first().index = s.turn
	s.turn++
	return f.Enter(&s.sub.Frame)
}
