package dyn

import (
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// body is code of a step, written in Go.
type body struct {
	run   func(s *Step, in *Args)
	catch func(s *Step, err error) // nil: no handler
}

func (b body) Exec(s *Step, in *Args) { b.run(s, in) }

func (b body) Catch(s *Step, err error) bool {
	if b.catch != nil {
		b.catch(s, err)
	}
	return b.catch != nil
}

// rig is a root on a loop that the test drives, with a log of what happened.
type rig struct {
	t        *testing.T
	loop     *tool.Manual
	root     *Root
	events   []string
	reported []error
	ends     int
	err      error
	released int
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t}
	r.loop = tool.NewManual(tool.Options{OnError: func(err error) { r.reported = append(r.reported, err) }})
	r.root = NewRoot(r.loop)
	return r
}

func (r *rig) note(s string) { r.events = append(r.events, s) }

// noting returns a body that only notes s.
func (r *rig) noting(s string) body { return body{run: func(*Step, *Args) { r.note(s) }} }

// run executes the root, and drives the loop until it is idle.
func (r *rig) run() error {
	r.t.Helper()
	if err := r.root.Execute(Ended(func(err error) { r.ends++; r.err = err })); err != nil {
		r.t.Fatal(err)
	}
	for r.loop.Iterate() {
	}
	if r.ends != 1 {
		r.t.Fatalf("the run has ended %d times", r.ends)
	}
	return r.err
}

// want compares the log with events, and empties it.
func (r *rig) want(events string) {
	r.t.Helper()
	if got := strings.Join(r.events, " "); got != events {
		r.t.Errorf("got %q, want %q", got, events)
	}
}

// value returns arguments that count how often they are released.
func (r *rig) value() Args {
	return Args{binval.FromCustom("value", func(string) { r.released++ })}
}

func (r *rig) gives() body {
	return body{run: func(s *Step, _ *Args) {
		a := r.value()
		s.Success(&a)
	}}
}

func (r *rig) takes() body {
	return body{run: func(_ *Step, in *Args) {
		if _, err := binval.ToCustom[string](&in[0]); err != nil {
			r.t.Errorf("the value: %v", err)
		}
	}}
}

func fails(code fault.Code) body {
	return body{run: func(s *Step, _ *Args) { s.Fail(code) }}
}
