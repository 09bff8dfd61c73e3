package step_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A loop that has called Done has taken the work, whatever it does then. Its panic is reported.
func TestWorkIsDoneWhenItIsTaken(t *testing.T) {
	for name, c := range map[string]struct {
		then     func() bool
		reported string
	}{
		"taken":    {func() bool { return true }, ""},
		"declined": {func() bool { return false }, ""},
		"panics":   {func() bool { panic("no desk") }, "no desk"},
	} {
		loop := tooltest.New(tooltest.WithHost(tool.WithWork(func(w tool.Work) (func(error), bool) {
			if !w.Done(reflect.ValueOf(7), nil) {
				t.Errorf("%s: the result is refused", name)
			}
			return nil, c.then()
		})))
		run := flow.Start(t.Context(), loop, double, 1)
		loop.Run()
		if v, err := run.Result(); v != 7 || err != nil {
			t.Errorf("%s: got %v, %v", name, v, err)
		}
		errs := loop.Errors()
		if len(errs) != min(1, len(c.reported)) || len(errs) == 1 && !strings.Contains(errs[0].Error(), c.reported) {
			t.Errorf("%s: reported %v", name, errs)
		}
	}
}
