package laws_test

import (
	"errors"
	"regexp"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// FuzzPaths: the path in the error of a step is the one that its body has seen, and leads to one step with that name in the
// description of the plan, whatever the step's place and name.
func FuzzPaths(f *testing.F) {
	f.Add([]byte{0}, "price")
	f.Add([]byte{2, 3, 1, 0, 0, 0}, "0/par.1")
	f.Add([]byte{3, 3, 0, 2, 0, 0, 7}, "")
	f.Add([]byte{6, 5, 7, 4, 2, 0, 1, 0, 0}, "each.N\n")
	f.Add([]byte{1, 8, 0, 8, 7, 0, 2, 8, 0, 0}, "\xff\u2028\"")
	f.Fuzz(func(t *testing.T, shape []byte, name string) {
		if len(shape) > 200 {
			return
		}
		b := &branching{shape: shape, name: name}
		plan := flow.Then(b.stage(0), b.last())
		loop := tooltest.New()
		run := flow.Start(t.Context(), loop, plan, 0)
		loop.Run()
		_, err := run.Result()
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || e.Code != "Last" || e.Path != b.seen || name != "" && e.Name != name {
			t.Fatalf("%v is raised by %q at %q, want %q at %q", err, e.Name, e.Path, name, b.seen)
		}
		found := 0
		for tree := range flow.Describe(plan).All() {
			if tree.Role == flow.RoleStep && tree.Path == element.ReplaceAllString(e.Path, "each.N") {
				found++
				if tree.Name != name || tree.Kind != "func" {
					t.Errorf("at %s is a %s called %q, want a func called %q", tree.Path, tree.Kind, tree.Name, name)
				}
			}
		}
		if found != 1 {
			t.Errorf("%d steps stand at %s", found, e.Path)
		}
	})
}

var element = regexp.MustCompile(`each\.\d+`)

// branching makes a plan from a list of kinds. One step of it fails.
type branching struct {
	shape []byte
	name  string
	seen  string // path of the step that fails
}

// last returns the step that fails, inside of the constructs that are still in the list.
func (b *branching) last() stage {
	var fails stage = flow.Named(b.name, step.Func(func(as step.Scope, _ int) (int, error) {
		b.seen = as.Path()
		return 0, fault.Code("Last")
	}))
	for range len(b.shape) {
		fails = b.around(fails)
	}
	return fails
}

// stage takes kinds from the front of the list.
func (b *branching) stage(depth int) stage {
	if len(b.shape) < 8 || depth > 8 {
		return pass
	}
	if b.shape[0]%9 == 0 {
		b.shape = b.shape[1:]
		return pass
	}
	return b.around(b.stage(depth + 1))
}

var pass = step.Map(func(in int) int { return in })

// around puts s into a construct of the next kind in the list.
func (b *branching) around(s stage) stage {
	if len(b.shape) == 0 {
		return s
	}
	kind := b.shape[0] % 9
	b.shape = b.shape[1:]
	switch kind {
	case 1:
		return flow.Chain(pass, s)
	case 2:
		return flow.Then(flow.Par(pass, s), step.Map(sum))
	case 3:
		return flow.Named("around", flow.Chain(pass, s, pass))
	case 4:
		return flow.Call(s)
	case 5:
		return loopx.Repeat(1, flow.Then(step.Map(func(t loopx.Iteration[int]) int { return t.Carry }), s))
	case 6:
		return flow.Catch(flow.Chain(pass, s), func(step.Scope, error) step.Next[int] { return step.Unwind[int]() })
	case 7:
		elements := step.Map(func(in int) []int { return []int{in, in} })
		return flow.Then(flow.Then(elements, flow.ParEach(1, s)), step.Map(sum))
	case 8:
		return flow.OnCancel(s, func(step.Scope) {})
	default:
		return s
	}
}
