package frame

import (
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

// E2: the error that a handler returns was raised at the handler, also if it was made earlier. If the handler returns
// the error that it was given, that error keeps its place.
func TestPathOfTheErrorOfAHandler(t *testing.T) {
	for name, test := range map[string]struct {
		raise error
		want  string
	}{
		"another": {errSecond, "0"},
		"same":    {errFirst, "0/0/0"},
	} {
		t.Run(name, func(t *testing.T) {
			inst := new(Activation)
			outer := callOp(inst, callOp(inst, failOp(errFirst)))
			outer.handle = func(f *Frame, _ error) Verdict { return f.Fail(test.raise) }
			if e := wantCode(t, runOps(t, inst, outer), fault.CodeOf(test.raise)); e.Path != test.want {
				t.Errorf("raised at %s, want %s", e.Path, test.want)
			}
		})
	}
}
