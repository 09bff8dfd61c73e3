package share_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const ms = time.Millisecond

var errDown = fault.New(fault.ConnectError, "server is down")

// rig is a loop in virtual time and a log of what has happened on it.
type rig struct {
	*tooltest.Loop
	t   *testing.T
	log []string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{Loop: plantest.NewLoop(t), t: t}
	t.Cleanup(func() {
		if n := r.Pending(); n != 0 {
			t.Errorf("%d callbacks are left on the loop", n)
		}
	})
	return r
}

func (r *rig) note(format string, args ...any) { r.log = append(r.log, fmt.Sprintf(format, args...)) }

// want compares the log with events, one word each, and empties it.
func (r *rig) want(events string) {
	r.t.Helper()
	if want := strings.Fields(events); !slices.Equal(r.log, want) {
		r.t.Errorf("happened:\n  %v\nwant:\n  %v", r.log, want)
	}
	r.log = nil
}

// ask starts a run that notes its result: name=value@time or name!code@time.
func (r *rig) ask(name string, s step.Step[string, string], in string) *flow.Running[string] {
	run := flow.Start(r.t.Context(), r.Loop, s, in)
	run.Then(func(v string, err error) {
		if err != nil {
			r.note("%s!%s@%d", name, fault.CodeOf(err), r.Now()/ms)
		} else {
			r.note("%s=%s@%d", name, v, r.Now()/ms)
		}
	})
	return run
}

// slow returns a load that takes ten milliseconds, and fails for the key "bad". It notes its beginning and its cancel.
func (r *rig) slow() step.Step[string, string] {
	return step.New(func(as step.Scope, key string) step.Next[string] {
		r.note("load:%s", key)
		as.SetCancel(func() { r.note("~%s", key) })
		return step.Wait(as, func(done step.Done[string]) {
			_, _ = r.Deferred(10*ms, func() {
				if key == "bad" {
					done.Fail(errDown)
				} else {
					done.Succeed(strings.ToUpper(key))
				}
			})
		})
	})
}
