package flow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// P6: of the errors that a race survives it keeps the first one and the latest ones.
func TestP6SurvivedErrorsAreBounded(t *testing.T) {
	const n = 1000
	errs := make([]error, n)
	numbers := make([]int, n)
	branches := make([]step.Step[none, int], n)
	for i := range n {
		errs[i], numbers[i] = fmt.Errorf("error %d", i), i
		branches[i] = step.Func(func(step.Scope, none) (int, error) { return 0, errs[i] })
	}
	one := step.Func(func(_ step.Scope, i int) (int, error) { return 0, errs[i] })
	race := func(p flow.Plan[none, int]) error { _, err := plantest.Run(t, p, none{}); return err }
	_, tasks := plantest.Run(t, flow.NewTasks[int, int]("t").First(1, one), numbers)
	for name, err := range map[string]error{
		"First":       race(flow.First(branches...)),
		"Some":        race(flow.Then(flow.Some(1, branches...), step.Map(func(all []int) int { return all[0] }))),
		"Hedge":       race(flow.Hedge(oneSecond, branches...)),
		"Tasks.First": tasks,
	} {
		e := plantest.WantCode(t, err, fault.InternalError)
		want := slices.Concat(errs[:1], errs[n-32:n-1])
		if !errors.Is(e.Cause, errs[n-1]) || !slices.EqualFunc(e.Secondary, want, errors.Is) {
			t.Errorf("%s: ended with %v, secondary %v", name, e.Cause, e.Secondary)
		}
	}
}

// P6: the panics that a race survives are reported when it is won: the first one, the latest ones,
// and a count of the others.
func TestP6SurvivedPanicsAreBounded(t *testing.T) {
	numbers := make([]int, 100)
	for i := range numbers {
		numbers[i] = i
	}
	l := tooltest.New()
	run := flow.Start(t.Context(), l, flow.NewTasks[int, int]("t").First(1, step.Map(func(i int) int {
		if i < 99 {
			panic(fmt.Sprintf("panic %d.", i))
		}
		return i
	})), numbers)
	l.Run()
	if v, err := run.Result(); v != 99 || err != nil {
		t.Errorf("gave %d, %v", v, err)
	}
	var reported []string
	for _, err := range l.Errors() {
		reported = append(reported, err.Error())
	}
	text := strings.Join(reported, "\n")
	if len(reported) != 33 || !strings.Contains(text, "panic 0.") || strings.Contains(text, "panic 67.") ||
		!strings.Contains(text, "panic 68.") || !strings.Contains(reported[32], "67 more") {
		t.Errorf("%d reports:\n%s", len(reported), text)
	}
}

// P6: a branch panics and is left because another one has won before a goroutine in it has returned. The panic is reported.
func TestP6PanicThatIsOvertakenIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := step.Await(func(context.Context, int) (int, error) {
			time.Sleep(time.Minute)
			return 0, nil
		})
		panics := flow.Then(step.Delay[int](time.Second), step.Map(func(int) int { panic("oops") }))
		race := flow.First(sum[int](flow.Par(panics, slow)), later(2*time.Second, 1))
		_, told, err := starts["Start"](t, flow.Grace(-1, race))
		if err != nil || len(told) != 1 || !strings.Contains(told[0].Error(), "oops") {
			t.Errorf("ended with %v, and reported %v", err, told)
		}
	})
}
