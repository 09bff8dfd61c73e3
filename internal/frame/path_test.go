package frame

import (
	"slices"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/site"
)

// A path with as many parts as are shown is shown in full; in a longer one a count stands for the middle.
func TestJoinPathAtItsLimit(t *testing.T) {
	whole := slices.Repeat([]string{"0"}, shownInner+shownOuter)
	if got, want := JoinPath(whole), strings.TrimSuffix(strings.Repeat("0/", len(whole)), "/"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := JoinPath(append(whole, "0")); !strings.Contains(got, "/…1…/") || strings.Count(got, "0") != len(whole) {
		t.Errorf("got %q, want one segment left out", got)
	}
}

// A stack has a bounded number of levels. Hidden levels aren't in it.
func TestStackAtItsLimit(t *testing.T) {
	for _, depth := range []int{1, shownInner + shownOuter, shownInner + shownOuter + 1} {
		inst := new(Activation)
		op := execOp(func(f *Frame) Verdict {
			if got, want := len(f.Stack()), min(depth, shownInner+shownOuter); got != want {
				t.Errorf("%d levels of %d, want %d", got, depth, want)
			}
			return Done
		})
		for range depth - 1 {
			op = callOp(inst, op)
		}
		if err := runOps(t, inst, op); err != nil {
			t.Error(err)
		}
	}
	var f Frame
	f.Init(new(Activation), &Level{Hide: true})
	f.fiber = &Fiber{run: new(Run)}
	if got := f.Stack(); len(got) != 0 {
		t.Errorf("a hidden level is in the stack: %v", got)
	}
}

// The trail of an error has a bounded number of levels.
func TestTrailAtItsLimit(t *testing.T) {
	for _, depth := range []int{shownInner + shownOuter, shownInner + shownOuter + 1, 2 * (shownInner + shownOuter)} {
		inst := new(Activation)
		op := failOp(errFirst)
		for range depth - 1 {
			op = callOp(inst, op)
		}
		if e := wantCode(t, runOps(t, inst, op), "First"); len(e.Unwind) != shownInner+shownOuter {
			t.Errorf("%d levels of %d, want %d", len(e.Unwind), depth, shownInner+shownOuter)
		}
	}
}

func TestHiddenLevelIsNotInTheTrail(t *testing.T) {
	inst := new(Activation)
	k := &Fork{Branches: make([]Branch, 1)}
	k.Branches[0].Enter(level(inst, callOp(inst, failOp(errFirst))))
	k.Branches[0].Root().level.Hide = true
	e := wantCode(t, runOps(t, inst, execOp(func(f *Frame) Verdict { return f.Fork(k) })), "First")
	if len(e.Unwind) != 2 || e.Path != "0/step.0/0" {
		t.Errorf("at %s, the trail is %v; want two levels of three", e.Path, e.Unwind)
	}
}

// The cost of a path is bounded: levels that it doesn't show aren't visited.
func TestPathOfADeepStepLooksAtWhatItShows(t *testing.T) {
	s := Fiber{run: new(Run)}
	frames := make([]Frame, 1000)
	for i := range frames {
		f := &frames[i]
		f.level, f.fiber, f.pc = new(Level), &s, int32(i%7)
		if i > 0 {
			f.outer = &frames[i-1]
			f.stand(f.outer)
		}
	}
	last := &frames[len(frames)-1]
	want := last.Path()
	for i := shownOuter + 1; i < len(frames)-shownInner; i++ {
		frames[i].level, frames[i].fiber = nil, nil // to visit it would panic
	}
	if got := last.Path(); got != want {
		t.Errorf("the path is %s, not %s", got, want)
	}
}

// Levels that have the path of the step around them don't count as parts of a path.
func TestPathWithBareLevels(t *testing.T) {
	const depth = 100
	for _, c := range []struct {
		bare, shown int
		omits       bool
	}{{0, 64, true}, {10, 64, true}, {60, 40, false}, {99, 1, false}} {
		inst := new(Activation)
		path := ""
		op := execOp(func(f *Frame) Verdict { path = f.Path(); return Done })
		for i := range depth - 1 {
			f := level(inst, op)
			f.level.Bare = i < c.bare
			op = execOp(func(g *Frame) Verdict { return g.Enter(f) })
		}
		if err := runOps(t, inst, op); err != nil {
			t.Fatal(err)
		}
		parts := strings.Split(path, "/")
		shown := len(slices.DeleteFunc(parts, func(part string) bool { return part != "0" }))
		if omits := strings.Contains(path, "…"); shown != c.shown || omits != c.omits {
			t.Errorf("%d levels of %d are bare: the path is %s", c.bare, depth, path)
		}
	}
}

// An error of an inner step counts as raised by the nearest step around it that isn't an inner one.
func TestInnerStepIsNotInTheTrail(t *testing.T) {
	for _, test := range []struct {
		inner string // one letter for each level below the outermost, from there on: i is an inner step
		path  string
		trail string
	}{
		{"", "0", "0"},
		{"-", "0/0", "0/0 0"},
		{"i", "0", "0"},
		{"ii", "0", "0"},
		{"i-", "0/0/0", "0/0/0 0"},
		{"i-i", "0/0/0", "0/0/0 0"},
	} {
		inst := new(Activation)
		op := failOp(errFirst)
		for i := range slices.Backward([]byte(test.inner)) {
			l := level(inst, op)
			l.level.Infos = &Infos{{Inner: test.inner[i] == 'i'}}
			op = execOp(func(f *Frame) Verdict { return f.Enter(l) })
		}
		e := wantCode(t, runOps(t, inst, op), "First")
		var trail []string
		for _, m := range e.Unwind {
			trail = append(trail, m.Path)
		}
		if got := strings.Join(trail, " "); e.Path != test.path || got != test.trail {
			t.Errorf("%q: raised at %s, trail %q; want %s, %q", test.inner, e.Path, got, test.path, test.trail)
		}
	}
	alone := trail{marks: []mark{{info: &site.Info{Inner: true}, branch: -1}}}
	e := new(fault.Error)
	if alone.describe(e, new(Run)); e.Path != "0" || len(e.Unwind) != 0 {
		t.Errorf("without a step around it: raised at %q, trail %v", e.Path, e.Unwind)
	}
}
