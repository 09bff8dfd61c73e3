package frame

import (
	"slices"
	"strconv"
	"strings"

	"github.com/futoin-go/asyncsteps/fault"
)

// A path says where a step stands: the index of the step at each level,
// outermost first, and between the fork and the steps of a branch the fork's
// kind and the branch's number: 0/par.1/2.

// If a path has more than shownInner+shownOuter levels, it shows only the shownInner innermost and the shownOuter outermost
// ones.
const (
	shownInner = 48
	shownOuter = 16
)

// Path returns the path of the current step.
func (f *Frame) Path() string {
	s := f.fiber
	n := int(f.depth) + 1
	var room [8]string
	segments := room[:0]
	var head *Frame // where the outermost levels begin, if some aren't shown
	show := func(f *Frame, kind string, branch int) bool {
		if f == head {
			return false
		}
		if !f.level.Bare {
			segments = append(segments, f.level.Under+segment(int(f.pc), f.level.Hide, kind, branch))
		}
		return head == nil || len(segments) < shownInner
	}
	if n > shownInner+shownOuter {
		head = f.head
		f.outwards(show)
		if len(segments) == shownInner {
			segments = append(segments, omitted(n))
		}
		f, head = head, nil
	}
	f.outwards(show)
	slices.Reverse(segments)
	path := strings.Join(segments, "/")
	if around := s.run.pathAround(); around != "" {
		path = around + "/" + path
	}
	return path
}

// Stack returns the logical stack: the current step and the steps that hold it, innermost first (§1.7 async_stack). It cuts
// off the outer end of a very deep stack.
func (f *Frame) Stack() []fault.Frame {
	var stack []fault.Frame
	f.outwards(func(f *Frame, _ string, _ int) bool {
		if !f.level.Hide {
			stack = append(stack, f.Info().At(f.Path(), fault.Left))
		}
		return len(stack) < shownInner+shownOuter
	})
	if l := f.Run().lingers(); l != nil && l.frame != nil && len(stack) < shownInner+shownOuter {
		stack = append(stack, l.frame.Stack()...)
	}
	return stack
}

// outwards visits the levels from f to the outermost one of the run, until visit returns false. For the outermost level
// of a branch, visit gets the kind of the fork and the number of the branch, for other levels "" and -1.
func (f *Frame) outwards(visit func(f *Frame, kind string, branch int) bool) {
	s := f.fiber
	for goes := true; goes && f != nil; {
		switch {
		case f.outer != nil:
			goes = visit(f, "", -1)
			f = f.outer
		case s.parent() != nil:
			outer := s.parent().top // its current step is the fork
			goes = visit(f, outer.Info().Kind, int(s.index))
			f, s = outer, s.parent()
		default:
			visit(f, "", -1)
			return
		}
	}
}

// stand records the depth and the head of f, a level directly inside of around.
func (f *Frame) stand(around *Frame) {
	f.depth, f.head = around.depth+1, around.headInside()
}

// headInside returns the head of a level directly inside of f.
func (f *Frame) headInside() *Frame {
	if f.depth == shownOuter-1 {
		return f
	}
	return f.head
}

func segment(pc int, hide bool, kind string, branch int) string {
	own := strconv.Itoa(pc)
	switch {
	case branch < 0:
		return own
	case hide:
		return kind + "." + strconv.Itoa(branch)
	default:
		return kind + "." + strconv.Itoa(branch) + "/" + own
	}
}

// JoinPath joins the segments of a path; it leaves out the middle if there are very many.
func JoinPath(segments []string) string {
	n := len(segments)
	if n <= shownInner+shownOuter {
		return strings.Join(segments, "/")
	}
	return strings.Join(segments[:shownOuter], "/") + "/" + omitted(n) + "/" + strings.Join(segments[n-shownInner:], "/")
}

func omitted(n int) string { return "…" + strconv.Itoa(n-shownInner-shownOuter) + "…" }

// Mark returns the current step of f as a level in an error's report.
func (f *Frame) Mark(o fault.Outcome) fault.Frame { return f.Info().At(f.Path(), o) }
