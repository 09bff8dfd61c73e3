package frame

import (
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/site"
)

// trail records the levels that an error passes. Paths are made of them only if the error leaves the run: then the trail
// becomes a fault.Error.
type trail struct {
	marks     []mark // levels passed, innermost first
	origin    int    // the mark at which the current error was raised
	secondary []error
	since     int           // length of secondary when the current error was raised
	defects   []error       // errors that have to be reported if a jump leaves the levels, as it has no error to join them to
	broke     int           // length of defects when the current error was raised
	inner     *fault.Error  // the error of another run, whose levels precede marks; nil as a rule
	changed   bool          // a handler has replaced the error
	given     *fault.Error  // the error that join made last; nil if there is none
	answer    fault.Outcome // outcome of the handler of the current level
	asked     bool          // answer is set
	again     bool          // the handler has failed with the same error that it was given
	asking    bool          // joined is asking an error for its code and info
}

// mark is one level: where its program counter stood and what its handler answered.
type mark struct {
	info    *site.Info
	pc      int32
	branch  int32 // ≥ 0: the level was the outermost one of this branch
	hide    bool
	bare    bool
	outcome fault.Outcome
	under   string
}

// reset forgets the levels passed, but not the errors.
func (t *trail) reset() {
	t.asked, t.again, t.asking = false, false, false
	t.marks = t.marks[:0]
	t.origin, t.inner, t.changed = 0, nil, false
}

func (t *trail) clear() {
	t.reset()
	if len(t.secondary)+len(t.defects) > 0 || t.given != nil {
		t.clearErrors()
	}
}

func (t *trail) clearErrors() {
	if t.given != nil {
		t.secondary = nil // errors that were given to handlers share it
	}
	clear(t.secondary)
	t.secondary, t.since = t.secondary[:0], 0
	t.defects, t.broke = nil, 0
	t.given = nil
}

func (t *trail) empty() bool {
	return len(t.marks) == 0 && len(t.secondary) == 0 && len(t.defects) == 0 && t.given == nil
}

// retained bounds how many levels of an unwind, lapsed timers and variables a pooled run keeps memory for.
const retained = 256

func (t *trail) shrink() {
	t.clear()
	if cap(t.marks) > retained {
		t.marks = nil
	}
}

func (t *trail) add(f *Frame, o fault.Outcome) {
	if o == fault.Replaced && !t.again {
		t.origin, t.changed = len(t.marks), true
	}
	t.asked, t.again = false, false
	t.marks = append(t.marks, mark{f.Info(), f.pc, -1, f.level.Hide, f.level.Bare, o, f.level.Under})
}

// branch records that the last mark is the outermost level of branch i of a fork. The level that holds the fork is marked next.
func (t *trail) branch(i int) {
	t.marks[len(t.marks)-1].branch = int32(i)
}

// answered keeps the outcome of the handler of the current level, because unwind comes to the level again if a cleanup panics.
func (t *trail) answered(o fault.Outcome) fault.Outcome {
	t.answer, t.asked, t.again = o, true, false
	return o
}

// replaced records that the handler of the current level was given one error and has failed with another. If both are the same
// fault.Error, the error keeps the place where it was raised first.
func (t *trail) replaced(given, by error) fault.Outcome {
	t.answered(fault.Replaced)
	e, ok := by.(*fault.Error)
	t.again = ok && error(e) == given
	return fault.Replaced
}

// spent returns the outcome of a level whose handler is used up: the handler's answer to the current error, or Spent if the
// handler was used up before.
func (t *trail) spent() fault.Outcome {
	if t.asked {
		return t.answer
	}
	return fault.Spent
}

// joined returns err as a handler gets it: with the secondary errors that were added on the way (E4, P3). A handler
// that stays silent lets that error go on, so the next handler is given the same one unless more were added. The errors that
// joined returns share the array of t.secondary, to which elements are therefore only appended.
func (t *trail) joined(err error) error {
	if len(t.secondary) == 0 {
		return err
	}
	return t.join(err)
}

func (t *trail) join(err error) error {
	if e, ok := err.(*fault.Error); ok && e != nil && e == t.given && len(e.Secondary) == len(t.secondary) {
		return err
	}
	e := &fault.Error{Code: fault.InternalError, Cause: err}
	if !t.asking { // otherwise a method of err has ended the goroutine: err isn't asked again
		t.asking = true // set first, because methods of err may end the goroutine
		e.Code, e.Info = fault.CodeOf(err), fault.InfoOf(err)
	}
	t.asking = false
	e.Secondary = slices.Clip(t.secondary)
	t.given = e
	return e
}

// also keeps errs as secondary errors.
func (t *trail) also(errs ...error) {
	t.secondary = append(t.secondary, errs...)
}

// defect keeps err as a secondary error that has to be reported even if the levels are left by a jump, which has no error to
// join err to.
func (t *trail) defect(err error) {
	t.also(err)
	t.defects = append(t.defects, err)
}

// overtaken keeps err, which has come too late, as a secondary error. If err is a panic, it is a defect too.
func (t *trail) overtaken(err error) {
	t.also(err)
	if broken := panicOf(err); broken != nil {
		t.defects = append(t.defects, broken)
	}
}

// raised records that the current error is raised now: secondary errors that are added later were met on its way.
func (t *trail) raised() { t.since, t.broke = len(t.secondary), len(t.defects) }

// displaced keeps err, which was on its way until another error took its place. It inserts err before the errors that were met
// on the way of err, so that the order of the errors doesn't depend on when err is displaced.
func (t *trail) displaced(err error) {
	met := t.defects
	t.overtaken(err)
	if len(t.defects) > len(met) {
		t.defects = slices.Insert(met, t.broke, t.defects[len(met)])
	}
	if last := len(t.secondary) - 1; t.since < last {
		t.secondary = slices.Insert(slices.Clip(t.secondary[:last]), t.since, err) // a copy: errors that were given to handlers share the array
	}
}

// take appends the secondary errors of a branch to those of t, which belongs to the fiber that has forked the branch.
func (t *trail) take(of *trail) {
	t.also(of.secondary...)
	t.defects = append(t.defects, of.defects...)
}

// describe sets the place, the passed levels and the secondary errors of e.
func (t *trail) describe(e *fault.Error, r *Run) {
	n := len(t.marks)
	segments := r.around(make([]string, 0, n)) // outermost first
	ends := make([]int, n)                     // for each mark, how many segments make its path
	for i, m := range slices.Backward(t.marks) {
		kind := ""
		if m.branch >= 0 {
			kind = t.marks[i+1].info.Kind
		}
		if !m.bare {
			segments = append(segments, m.under+segment(int(m.pc), m.hide, kind, int(m.branch)))
		}
		ends[i] = len(segments)
	}
	if t.inner != nil {
		t.inside(e, !t.changed)
	}
	for i := range t.marks {
		m := &t.marks[i]
		if m.hide || m.info.Inner || i >= shownInner && i < n-shownOuter {
			continue
		}
		e.Unwind = append(e.Unwind, m.info.At(JoinPath(segments[:ends[i]]), m.outcome))
	}
	if t.origin < n && e.Path == "" {
		raised := t.origin
		for raised < n-1 && t.marks[raised].info.Inner {
			raised++
		}
		m := &t.marks[raised]
		e.Path, e.Name, e.Site = JoinPath(segments[:ends[raised]]), m.info.Called(), m.info.Site()
	}
	e.Secondary = append(e.Secondary, t.secondary...)
}

// Also keeps errs as secondary errors of the error that the handler of the current step was given. They are dropped if the
// handler recovers.
func (f *Frame) Also(errs ...error) { f.fiber.trail.also(errs...) }
