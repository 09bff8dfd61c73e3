package share_test

import (
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const ms = time.Millisecond

var errDown = fault.New(fault.ConnectError, "server is down")

// rig is a virtual loop with a log of what happened on it, see plantest.Rig.
type rig struct {
	*plantest.Rig
	t *testing.T
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return &rig{plantest.NewRig(t), t}
}

func (r *rig) note(format string, args ...any) { r.Note(format, args...) }

func (r *rig) want(events string) {
	r.t.Helper()
	r.Want(events)
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
