package frame

import (
	"runtime"
	"strings"
	"testing"
)

// maker makes an Origin as a constructor of the module does, some calls deep.
func maker(calls int) Origin {
	if calls > 0 {
		return maker(calls - 1)
	}
	return Here()
}

// An Origin is the caller of what has made it, and in a test that is the test.
func TestOriginIsOutsideOfTheModule(t *testing.T) {
	for _, calls := range []int{0, 1, depth, 3 * depth} {
		o := maker(calls)
		_, file, _, _ := runtime.Caller(0)
		if site := o.Site(); site.File != file || !strings.Contains(site.Func, "frame.") {
			t.Errorf("%d calls deep: %v", calls, site)
		}
	}
	if site := new(Origin).Site(); site.File != "" || site.Line != 0 {
		t.Errorf("the zero Origin is %v", site)
	}
}

// The library isn't where a step was built; its examples, its tests and other
// modules are.
func TestOurs(t *testing.T) {
	for _, test := range []struct {
		function, file string
		want           bool
	}{
		{module + "flow.Then[...]", "then.go", true},
		{module + "internal/plan.NewNode[...]", "node.go", true},
		{module + "flow_test.TestThen", "then_test.go", false},
		{module + "flow.TestThen", "then_test.go", false},
		{module + "examples/gateway.plan", "plan.go", false},
		{module + "cmd/libfutoin.main", "main.go", false},
		{strings.TrimSuffix(module, "/") + "2/flow.Then", "then.go", false},
		{"main.main", "main.go", false},
	} {
		if got := ours(&runtime.Frame{Function: test.function, File: test.file}); got != test.want {
			t.Errorf("%s in %s: %t", test.function, test.file, got)
		}
	}
	if module != "github.com/futoin-go/asyncsteps/" {
		t.Errorf("the module is %q", module)
	}
}
