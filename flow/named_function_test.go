package flow_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
)

func readInt(_ step.Scope, s string) (int, error) { return strconv.Atoi(s) }

func double[T int | float64](v T) T { return 2 * v }

type store struct{ add int } //nolint:recvcheck // methods of both kinds have names to be looked at

func (s *store) Get(i int) int { return i + s.add }

func (s store) Put(i int) int { return i - s.add }

func (s *store) getter() func(int) int {
	return func(i int) int { return i * s.add }
}

type box[T any] struct{ v T }

func (b *box[T]) Swap(v T) (old T) { old, b.v = b.v, v; return old }

func (b *box[T]) make() func(int) int { return func(i int) int { return i + cap([]T{b.v}) } }

type getter interface{ Get(i int) int }

var packageLevel = step.Map(func(i int) int { return i })

// Func names the function that a step calls, wherever it is defined. Functions of this library aren't named.
func TestStepsNameThemselves(t *testing.T) {
	s := &store{1}
	var g getter = s
	var inLoop []step.Step[int, int]
	for k := range 2 {
		inLoop = append(inLoop, step.Map(func(i int) int { return i + k }))
	}
	local := func(i int) int { return i }
	nested := func() step.Step[int, int] {
		return step.Map(func(i int) int { return i + s.add })
	}
	for _, tt := range []struct {
		reason string
		tree   *flow.Tree
		want   string // # stands for a line number
	}{
		{"a function", flow.Describe(step.Func(readInt)), "readInt"},
		{"of another package", flow.Describe(step.Map(strings.ToUpper)), "strings.ToUpper"},
		{"of generic type", flow.Describe(step.Map(double[int])), "double"},
		{"a method value", flow.Describe(step.Map(s.Get)), "(*store).Get"},
		{"of a value", flow.Describe(step.Map(s.Put)), "store.Put"},
		{"of an interface", flow.Describe(step.Map(g.Get)), "getter.Get"},
		{"of a generic type", flow.Describe(step.Map((&box[int]{}).Swap)), "(*box).Swap"},
		{"a closure", flow.Describe(step.Map(func(i int) int { return i })), "TestStepsNameThemselves:#"},
		{"in a variable", flow.Describe(step.Map(local)), "TestStepsNameThemselves:#"},
		{"in a loop", flow.Describe(inLoop[1]), "TestStepsNameThemselves:#"},
		{"in a closure", flow.Describe(nested()), "TestStepsNameThemselves:#"},
		{"made by a method", flow.Describe(step.Map(s.getter())), "(*store).getter:#"},
		{"made by a method of a generic type", flow.Describe(step.Map((&box[int]{}).make())), "(*box).make:#"},
		{"made for a variable of the package", flow.Describe(packageLevel), "named_function_test.go:#"},
		{"of a step that waits", flow.Describe(step.Await(func(context.Context, int) (int, error) { return 0, nil })), "TestStepsNameThemselves:#"},
		{"in a function of the library", flow.Describe(step.Do(func(context.Context, int) error { return nil })), "TestStepsNameThemselves:#"},
		{"of a source", flow.Describe(flow.AwaitChan(ticks)), "ticks"},
		{"behind a name", flow.Describe(flow.Named("n", step.Func(readInt))), "readInt"},
		{"nothing to call", flow.Describe(flow.Value[int](1)), ""},
		{"a function of the library", flow.Describe(step.Map(flow.Of[int, int])), ""},
	} {
		got := tt.tree.Holds[0].Func
		if got = regexp.MustCompile(`:\d+$`).ReplaceAllString(got, ":#"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.reason, got, tt.want)
		}
	}
}

func ticks(context.Context, int) <-chan int { return nil }

func TestHandlersNameThemselves(t *testing.T) {
	plan := flow.OnCancel(flow.Catch(step.Func(readInt), orZero), undo)
	var got []string
	for tree := range flow.Describe(plan).All() {
		if tree.Role == flow.RoleHandler || tree.Role == flow.RoleHook {
			got = append(got, string(tree.Role)+" "+tree.Func)
		}
	}
	if want := "[handler orZero hook undo]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func orZero(step.Scope, error) step.Next[int] { return step.Succeed(0) }

func undo(step.Scope) {}

// The line in the name of a closure is that of the step's build site, where the closure begins.
func TestLineOfAClosureIsThatOfItsStep(t *testing.T) {
	tree := flow.Describe(step.Func(func(step.Scope, int) (int, error) {
		return 0, nil
	})).Holds[0]
	if want := "TestLineOfAClosureIsThatOfItsStep:" + strconv.Itoa(tree.Site.Line); tree.Func != want {
		t.Errorf("%q, want %q", tree.Func, want)
	}
}

func TestDigestLeavesFunctionsOut(t *testing.T) {
	here := flow.Describe(step.Map(func(i int) int { return i }))
	there := flow.Describe(step.Map(func(i int) int { return i }))
	named := flow.Describe(step.Map(double[int]))
	if here.Holds[0].Func == there.Holds[0].Func || here.Holds[0].Func == named.Holds[0].Func {
		t.Fatalf("the functions are called %q, %q, %q", here.Holds[0].Func, there.Holds[0].Func, named.Holds[0].Func)
	}
	if here.Digest != there.Digest || here.Digest != named.Digest {
		t.Errorf("the digests are %s, %s, %s", here.Digest, there.Digest, named.Digest)
	}
}

func TestFunctionsInErrorsAndEvents(t *testing.T) {
	recorder := observe.NewRecorder(100)
	plan := flow.Then(step.Map(strings.TrimSpace), flow.Then(step.Func(readInt), flow.Named("named", step.Map(double[int]))))
	ctx := observe.With(t.Context(), recorder)
	_, err := flow.Run(ctx, plan, " x ")
	failed, _ := fault.AsType[*fault.Error](err)
	if failed == nil || failed.Name != "readInt" || failed.Unwind[0].Name != "readInt" || !strings.Contains(err.Error(), `(at 1 "readInt")`) {
		t.Errorf("%v: %+v", err, err)
	}
	if _, err := flow.Run(ctx, plan, " 21 "); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range recorder.Runs()[1].Entries {
		if e.Kind == observe.StepStart {
			names = append(names, e.Name)
		}
	}
	if want := "[strings.TrimSpace readInt named]"; fmt.Sprint(names) != want {
		t.Errorf("%v, want %s", names, want)
	}
}
