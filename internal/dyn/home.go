package dyn

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/site"
	"github.com/futoin-go/asyncsteps/tool"
)

// home holds the memory for the dynamic steps of one root, or of one embedded step. While these steps are executed, only
// the goroutine of their loop uses the home.
type home struct {
	inst   *frame.Activation
	levels []*level
	steps  []*Step
	// host gets the errors that belong to no step, such as those of resetting values. It is nil while no steps use the
	// home.
	host *tool.Host
	root *Root // the root that uses the home; nil if none does, and for steps inside a typed plan
}

// level is a sequence of steps that is built while the program runs.
type level struct {
	frame.Frame
	program frame.Level
	infos   frame.Infos // one for each op of program
	home    *home
	flow    uintptr // identifies the fiber, see Step.Flow
	value   Args    // the values on their way to the next step; after the last step, the result
}

// level returns an empty level, from the free list if there is one.
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

func (l *level) step(kind *site.Info, body Body, code Code) *Step {
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

func (l *level) first() *Step { return l.program.Ops[0].(*Step) }

// release frees the level and its steps, each of which has ended or never begun. If the release of a peer or of a value ends
// the goroutine, another call goes on with the rest; see finish.
func (l *level) release() {
	for i, op := range l.program.Ops {
		if op != nil {
			op.(*Step).release()
			l.program.Ops[i] = nil
		}
	}
	l.program.Ops, l.infos, l.program.Hide = l.program.Ops[:0], l.infos[:0], false
	l.home.drop(&l.value)
	l.home.levels = append(l.home.levels, l)
}

// finish calls f until it returns. f releases several things, and each release may panic or end the goroutine. f forgets a
// thing before releasing it, so that the next call goes on with the rest. A panic in a call after the first is reported,
// because nobody would see it.
func (h *home) finish(f func()) {
	returned := false
	defer func() {
		if !returned {
			h.host.Call(func() { h.finish(f) })
		}
	}()
	f()
	returned = true
}

func (h *home) drop(a *Args) {
	if !none(a) {
		Drop(h.host, a)
	}
}
