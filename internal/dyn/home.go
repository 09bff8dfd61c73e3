package dyn

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

// home is the memory of one run's dynamic steps. The run's loop owns it.
type home struct {
	inst   *frame.Activation
	levels []*level
	steps  []*Step
	// host takes errors that no step can be given: of resetting values. It is nil while
	// the memory waits for a root.
	host *tool.Host
	root *Root // that the memory serves; nil for steps inside of a typed plan
}

// level is a sequence of steps that is made while the program runs.
type level struct {
	frame.Frame
	program frame.Level
	infos   frame.Infos // of program
	home    *home
	flow    uintptr // names the fiber, see Step.Flow
	value   Args    // on its way to the next step, or the result
}

// level takes a level from the free ones, or makes one.
func (h *home) level(flow uintptr) *level {
	var l *level
	if n := len(h.levels); n > 0 {
		l = h.levels[n-1]
		h.levels = h.levels[:n-1]
	} else {
		l = &level{home: h}
		l.program.Infos = &l.infos
		l.Init(h.inst, &l.program)
	}
	l.flow = flow
	return l
}

// step appends a step to the level.
func (l *level) step(kind *frame.Info, body Body, code Code) *Step {
	var s *Step
	if n := len(l.home.steps); n > 0 {
		s = l.home.steps[n-1]
		l.home.steps = l.home.steps[:n-1]
	} else {
		s = &Step{home: l.home}
		s.ended = s.end
	}
	s.at, s.info, s.body, s.code = l, kind, body, code
	l.program.Ops = append(l.program.Ops, s)
	l.infos = append(l.infos, kind)
	return s
}

// first is the step of a level that has one.
func (l *level) first() *Step { return l.program.Ops[0].(*Step) }

// release gives the level and its steps back. None of them is begun.
func (l *level) release() {
	for i, op := range l.program.Ops {
		op.(*Step).release()
		l.program.Ops[i] = nil
	}
	l.program.Ops, l.infos, l.program.Hide = l.program.Ops[:0], l.infos[:0], false
	l.home.drop(&l.value)
	l.home.levels = append(l.home.levels, l)
}

// drop resets values that reach nobody. Most often there are none.
func (h *home) drop(a *Args) {
	if a[0].IsZero() && a[1].IsZero() && a[2].IsZero() && a[3].IsZero() {
		return
	}
	if err := a.Reset(); err != nil && h.host != nil {
		h.host.Report(err)
	}
}
