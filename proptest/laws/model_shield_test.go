package laws_test

import (
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// shielding is the state of a shielded part: a branch that ends by itself before its step is left (K1).
type shielding struct {
	left  bool          // the step is being left
	told  time.Duration // when it began to be left
	over  bool          // the branch took longer than the grace, and is left like any other
	final bool          // the step was being left when the branch began
	hears bool          // its contents learn that the step is being left (K3)
	gives bool          // it is the release of a bracket, whose error is reported if nothing takes it (K2)
	grace *alarm        // the end of the grace; nil until it counts
}

func (f *frame) shields() bool { return f.shield != nil && !f.shield.over }

func (h *shielding) tell(now time.Duration) {
	if !h.left {
		h.left, h.told = true, now
	}
}

// outlived is the failure of a step whose branch did not end within the grace (K4).
var outlived = failure{code: fault.CutOff, info: "step did not end within the grace, and was cancelled"}

// shielded starts a part of f that isn't left before it has ended.
func (s *fiber) shielded(f *frame, run func(b *fiber) result) *fiber {
	f.shield, f.broken = &shielding{final: f.left}, nil
	b := s.m.spawn(s, f, s.where, func(b *fiber) { b.branch(func() result { return run(b) }) })
	f.branches = []*fiber{b}
	return b
}

// ended waits for b, which shielded has returned.
func (s *fiber) ended(f *frame, b *fiber) result {
	if !s.block(false, func() bool { return f.broken != nil || b.pend.kind == gone }) {
		return result{how: dropped}
	}
	if f.broken != nil {
		return *f.broken
	}
	f.branches, f.shield = nil, nil
	s.late = s.late || b.late
	return b.out
}

func (s *fiber) shield(f *frame, in int) result {
	if !s.silent() { // left before it has begun
		return result{how: dropped}
	}
	return s.ended(f, s.shielded(f, func(b *fiber) result { return b.level(f.op.inner, in) }))
}

func (s *fiber) succeeded() bool { return s.pend.kind == gone && s.out.how == ok }

// sheltered reports whether s is in a shielded part, whose events may come before and after the steps around it are left.
func (s *fiber) sheltered() bool {
	for ; s != nil; s = s.parent {
		if s.fork != nil && s.fork.shield != nil {
			return true
		}
	}
	return false
}

// mayRunOut reports whether a grace around s ends at this moment, so that a step without events may come too late.
func (s *fiber) mayRunOut() bool {
	for ; s != nil; s = s.parent {
		if s.fork == nil || s.fork.shield == nil {
			continue
		}
		if g := s.fork.shield.grace; g != nil && !g.off && g.at == s.m.now {
			return true
		}
	}
	return false
}

// unwanted reports whether s is in an acquire or in the effect of an Undo whose step is being left (K3).
func (s *fiber) unwanted() bool {
	for ; s != nil; s = s.parent {
		if s.fork != nil && s.fork.shield != nil {
			return s.fork.shield.hears && s.fork.shield.left
		}
	}
	return false
}

func (s *fiber) shelters() bool {
	return slices.ContainsFunc(s.m.fibers, func(b *fiber) bool { return b.isShielded() && b.below(s) })
}

func (s *fiber) isShielded() bool {
	return s.pend.kind != gone && s.fork != nil && s.fork.shield != nil
}

func (s *fiber) leaveBranches(f *frame) {
	for {
		if b := s.nextToDrop(f); b != nil && f.shields() {
			s.outlast(f, b)
		} else if !s.partNext(f) {
			return
		}
	}
}

// outlast waits until b or the grace has ended.
func (s *fiber) outlast(f *frame, b *fiber) {
	h := f.shield
	if h.final { // undos and releases aren't hurried until something else wants the step to be left (K4)
		s.block(true, func() bool { return b.pend.kind == gone || h.left || s.killed != nil })
		if b.pend.kind == gone {
			s.also = append(s.also, b.also...)
			return
		}
	}
	h.tell(s.m.now)
	h.grace = s.m.after(max(0, h.told+s.grace()-s.m.now), func() {
		if b.pend.kind != gone {
			h.over = true
			s.also = append(s.also, outlived)
			s.m.tells([]failure{outlived})
		}
	})
	s.block(true, func() bool { return h.over || b.pend.kind == gone })
	h.grace.off = true
	if !h.over {
		s.also = append(s.also, b.also...)
	}
}

// bequeath passes the errors of s, a shielded branch, to its step, which is being left.
func (s *fiber) bequeath(r result) {
	p := s.parent
	if r.how != failed {
		return
	}
	for _, d := range defects(s.also) {
		d.part = true
		p.also = append(p.also, d)
	}
	p.also = append(p.also, failure{code: r.why.code, info: r.why.info, defect: s.fork.shield.final || s.fork.shield.gives || r.why.panicked()})
	s.also = nil
}

// grace returns the grace of the innermost step of s.
func (s *fiber) grace() time.Duration {
	around := s.frames[:len(s.frames)-1]
	for {
		for _, f := range slices.Backward(around) {
			if f.op.graces && !f.handled {
				return f.op.n.limit
			}
		}
		if s = s.parent; s == nil {
			return time.Second
		}
		around = s.frames
	}
}

func (s *fiber) bracket(f *frame, in int) result {
	acquire, use, release := f.op.kids[0], f.op.kids[1], f.op.kids[2]
	resource, released := 0, false
	end := func(how result, said string) *fiber {
		released = true
		b := s.shielded(f, func(b *fiber) result {
			e := event{what: eRelease, id: f.op.n.id, value: resource, said: said}
			switch how.how {
			case ok:
			case failed:
				e.code = how.why.code
			default:
				e.ok = true
			}
			if _, did := b.begin(e); !did {
				return result{how: dropped}
			}
			return b.level(release, resource)
		})
		f.shield.gives = true
		return b
	}
	if !s.silent() {
		return result{how: dropped}
	}
	b := s.shielded(f, func(b *fiber) result { return b.level(acquire, in) })
	if f.shield != nil {
		f.shield.hears = true
	}
	f.final = func(r result) bool {
		switch {
		case released || b != nil && !b.succeeded():
			return false
		case b != nil:
			resource = b.out.value
		}
		said := ""
		if r.how == failed {
			said = s.said(r.why)
		}
		end(r, said)
		return true
	}
	r := s.ended(f, b)
	if r.how != ok {
		return r
	}
	resource, b = r.value, nil
	used := s.level(use, resource)
	if used.how != ok {
		return used
	}
	if !s.follows(use) {
		return result{how: dropped}
	}
	if r = s.ended(f, end(used, "")); r.how != ok {
		return r
	}
	f.final = nil
	return result{value: used.value}
}

// follows reports whether the step after ops is executed. Nothing comes between (O7), unless the last of ops have no events:
// then they may not have run yet.
func (s *fiber) follows(ops []*op) bool { return endShows(ops) || s.silent() }

func endShows(ops []*op) bool {
	if len(ops) == 0 {
		return false
	}
	switch last := ops[len(ops)-1]; {
	case last.h != nil || last.kind == oPlain && last.n.body != nil && last.n.body.way == enters:
		return false
	case last.kind == oGroup || last.kind == oPlain && (last.n.kind == kShield || last.n.kind == kLimit || last.n.kind == kSaga):
		return endShows(last.inner)
	case last.kind == oPlain && last.n.kind == kUndo:
		return endShows(last.kids[0])
	default:
		return last.shows()
	}
}

type undos struct {
	done    []effect
	undoing bool
}

type effect struct {
	back []*op
	v    int
}

// saga runs the inner steps of f. If they fail or are left, their effects are undone (K5).
func (s *fiber) saga(f *frame, in int) result {
	u := new(undos)
	f.saga = u
	f.final = func(result) bool {
		last := len(u.done) - 1
		if last < 0 {
			return false
		}
		u.undoing = true
		it := u.done[last]
		u.done = u.done[:last]
		s.shielded(f, func(b *fiber) result { return b.level(it.back, it.v) })
		return true
	}
	r := s.level(f.op.inner, in)
	if r.how != ok {
		return r
	}
	outer := s.sagaAround()
	switch {
	case len(u.done) == 0:
	case outer == nil && !s.commits(), outer != nil && !s.follows(f.op.inner):
		return result{how: dropped}
	}
	f.final, f.saga = nil, nil
	if outer != nil {
		outer.done = append(outer.done, u.done...)
	}
	return r
}

// commits makes the move by which a saga succeeds, later than the event of its last step. An accepted cancel on its way
// prevents it, and undoes the saga, but not in a shield.
func (s *fiber) commits() bool {
	s.late = true
	return s.do(pending{kind: silently, unlessCancelled: !s.sheltered()})
}

func (s *fiber) sagaAround() *undos {
	around := s.frames[:len(s.frames)-1]
	for {
		for _, f := range slices.Backward(around) {
			if f.saga != nil && !f.saga.undoing && !f.handled {
				return f.saga
			}
		}
		if s = s.parent; s == nil {
			return nil
		}
		around = s.frames
	}
}

func (s *fiber) undo(f *frame, in int) result {
	if !s.silent() {
		return result{how: dropped}
	}
	if s.sagaAround() == nil {
		return failing(broken("undoes what it does, but is in no saga"))
	}
	did := func(v int) {
		u := s.sagaAround()
		u.done = append(u.done, effect{f.op.kids[1], v})
	}
	b := s.shielded(f, func(b *fiber) result { return b.level(f.op.kids[0], in) })
	if f.shield != nil {
		f.shield.hears = true
	}
	f.final = func(result) bool {
		if b.succeeded() {
			did(b.out.value)
		}
		return false
	}
	r := s.ended(f, b)
	if r.how != ok {
		return r
	}
	if !s.follows(f.op.kids[0]) {
		return result{how: dropped} // final notes it, perhaps after the effect of a branch beside it
	}
	f.final = nil
	did(r.value)
	return r
}
