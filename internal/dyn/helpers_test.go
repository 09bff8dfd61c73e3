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

// harness is a root on a loop that the test drives, with a log of what happened.
type harness struct {
	t        *testing.T
	loop     *tool.Manual
	root     *Root
	events   []string
	reported []error
	ends     int
	err      error
	released int
}

func newHarness(t *testing.T) *harness {
	h := &harness{t: t}
	h.loop = tool.NewManual(tool.Options{OnError: func(err error) { h.reported = append(h.reported, err) }})
	h.root = NewRoot(h.loop)
	return h
}

func (h *harness) record(s string) { h.events = append(h.events, s) }

func (h *harness) recordBody(s string) body { return body{run: func(*Step, *Args) { h.record(s) }} }

func (h *harness) run() error {
	h.t.Helper()
	if err := h.root.Execute(Ended(func(err error) { h.ends++; h.err = err })); err != nil {
		h.t.Fatal(err)
	}
	for h.loop.Iterate() {
	}
	if h.ends != 1 {
		h.t.Fatalf("the run has ended %d times", h.ends)
	}
	return h.err
}

// want compares the log with events.
func (h *harness) want(events string) {
	h.t.Helper()
	if got := strings.Join(h.events, " "); got != events {
		h.t.Errorf("got %q, want %q", got, events)
	}
}

// value returns arguments that count how often they are released.
func (h *harness) value() Args {
	return Args{binval.FromCustom("value", func(string) { h.released++ })}
}

func (h *harness) succeedWithValue() body {
	return body{run: func(s *Step, _ *Args) {
		a := h.value()
		s.Success(&a)
	}}
}

func (h *harness) checkValue() body {
	return body{run: func(_ *Step, in *Args) {
		if _, err := binval.ToCustom[string](&in[0]); err != nil {
			h.t.Errorf("the value: %v", err)
		}
	}}
}

func failWith(code fault.Code) body {
	return body{run: func(s *Step, _ *Args) { s.Fail(code) }}
}
