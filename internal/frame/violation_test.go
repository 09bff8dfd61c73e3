package frame

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// breakRule breaks a rule in the current step, for tests of what follows. brokenRule is in the error.
func breakRule(f *Frame) { f.SetCancel(nil) }

const brokenRule = "a cancel hook must not be nil"

// E4, E7: a rule that was broken is told once in the error of the run, wherever it was broken. If its error meets another
// one, one of them is a secondary error of the other.
func TestBrokenRuleIsToldOnce(t *testing.T) {
	const broken = fault.InvalidRequest
	tests := []struct {
		name      string
		op        *testOp
		want      fault.Code
		secondary []fault.Code
	}{
		{"by a body that succeeds", execOp(func(f *Frame) Verdict { breakRule(f); return Done }), broken, nil},
		{"by a body that fails", execOp(func(f *Frame) Verdict { breakRule(f); return f.Fail(errFirst) }), broken, []fault.Code{"First"}},
		{"by a body that waits", execOp(func(f *Frame) Verdict { breakRule(f); return wait(f) }), broken, nil},
		{"by a cleanup after success", execOp(func(f *Frame) Verdict {
			f.Defer(func() { breakRule(f) })
			return Done
		}), broken, nil},
		{"by a cleanup after failure", execOp(func(f *Frame) Verdict {
			f.Defer(func() { breakRule(f) })
			return f.Fail(errFirst)
		}), "First", []fault.Code{broken}},
		{"by a hook", execOp(func(f *Frame) Verdict {
			f.SetCancel(func() { breakRule(f) })
			return f.Fail(errFirst)
		}), "First", []fault.Code{broken}},
		{"by a hook and a cleanup", execOp(func(f *Frame) Verdict {
			f.SetCancel(func() { breakRule(f) })
			f.Defer(func() { breakRule(f) })
			return f.Fail(errFirst)
		}), "First", []fault.Code{broken, broken}},
		{"by a silent handler", &testOp{
			exec:   func(f *Frame) Verdict { return f.Fail(errFirst) },
			handle: func(f *Frame, _ error) Verdict { breakRule(f); return Silent },
		}, broken, []fault.Code{"First"}},
		{"by a handler that recovers", &testOp{
			exec:   func(f *Frame) Verdict { return f.Fail(errFirst) },
			handle: func(f *Frame, _ error) Verdict { breakRule(f); return Done },
		}, broken, []fault.Code{"First"}},
		{"by a handler, before a cleanup", &testOp{
			exec: func(f *Frame) Verdict {
				f.Defer(func() {})
				return f.Fail(errFirst)
			},
			handle: func(f *Frame, _ error) Verdict { breakRule(f); return Done },
		}, broken, []fault.Code{"First"}},
		{"by a handler that fails", &testOp{
			exec:   func(f *Frame) Verdict { return f.Fail(errFirst) },
			handle: func(f *Frame, _ error) Verdict { breakRule(f); return f.Fail(errSecond) },
		}, broken, []fault.Code{"First", "Second"}},
		{"by a handler that waits", &testOp{
			exec:   func(f *Frame) Verdict { return f.Fail(errFirst) },
			handle: func(f *Frame, _ error) Verdict { breakRule(f); return wait(f) },
		}, broken, []fault.Code{"First"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := wantCode(t, runOps(t, new(Activation), test.op), test.want)
			if n := len(e.Secondary); n != len(test.secondary) {
				t.Fatalf("%d secondary errors: %v", n, e.Secondary)
			}
			for i, err := range e.Secondary {
				if code := fault.CodeOf(err); code != test.secondary[i] {
					t.Errorf("secondary error %d is %v, want %v", i, err, test.secondary[i])
				}
			}
			if len(e.Unwind) != 1 {
				t.Errorf("the step is left %d times: %v", len(e.Unwind), e.Unwind)
			}
		})
	}
}

// E2, E7: if a handler breaks a rule and wants sub-steps, these don't run, and its step is left, once.
func TestBrokenRuleTakesSubStepsBack(t *testing.T) {
	inst, ran := new(Activation), false
	var body Frame
	body.Init(inst, &Level{Ops: []Op{execOp(func(*Frame) Verdict { ran = true; return Done })}})
	cleaned := 0
	e := wantCode(t, runOps(t, inst, &testOp{
		exec: func(f *Frame) Verdict {
			f.Defer(func() { cleaned++ })
			return f.Fail(errFirst)
		},
		handle: func(f *Frame, _ error) Verdict { breakRule(f); return f.Enter(&body) },
	}), fault.InvalidRequest)
	if ran || cleaned != 1 || len(e.Unwind) != 1 {
		t.Errorf("sub-steps ran: %t; cleaned %d times; left %d levels", ran, cleaned, len(e.Unwind))
	}
}

func TestBrokenRulesAreJoined(t *testing.T) {
	err := runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
		breakRule(f)
		f.SetTimeout(-1)
		return Done
	}))
	for _, rule := range []string{brokenRule, "a timeout must"} {
		if !strings.Contains(err.Error(), rule) {
			t.Errorf("ended with %v, want also %q", err, rule)
		}
	}
	if strings.Contains(err.Error(), "times more") {
		t.Errorf("ended with %v, and all rules are in it", err)
	}
}

// C6, E7: if a handler breaks a rule and wants to wait, its wait can't be completed.
func TestBrokenRuleTakesTheWaitBack(t *testing.T) {
	slot, gen := new(Wait), uint64(0)
	wantCode(t, runOps(t, new(Activation), &testOp{
		exec: func(f *Frame) Verdict {
			f.Defer(func() {
				if slot.Valid(gen) || completeElsewhere(slot, gen) {
					t.Error("the wait can be completed")
				}
			})
			return f.Fail(errFirst)
		},
		handle: func(f *Frame, _ error) Verdict {
			breakRule(f)
			gen = slot.Open(f)
			return Waiting
		},
	}), fault.InvalidRequest)
}

// C7, E7: if a body breaks a rule and then starts a goroutine, this is told to stop.
func TestBrokenRuleStopsTheGoroutine(t *testing.T) {
	slot, told := new(Wait), error(nil)
	wantCode(t, runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
		breakRule(f)
		var gen uint64
		gen = slot.Hire(f, func(cause error) {
			told = cause
			_, err := f.Run().Tool().Immediate(func() { slot.Finish(gen) })
			if err != nil {
				t.Error(err)
			}
		}, 0)
		return Waiting
	})), fault.InvalidRequest)
	if fault.CodeOf(told) != fault.InvalidRequest {
		t.Errorf("the goroutine is told of %v, want the broken rule", told)
	}
}

// E2, E7: if a handler has recovered and then a cleanup breaks a rule, the step fails with that error only; errors of
// its sub-steps aren't part of it.
func TestBrokenRuleAfterRecovery(t *testing.T) {
	inst := new(Activation)
	inner := callOp(inst, failOp(errFirst))
	e := wantCode(t, runOps(t, inst, &testOp{exec: func(f *Frame) Verdict {
		f.Defer(func() { breakRule(f) })
		return inner.Exec(f)
	}, handle: func(*Frame, error) Verdict { return Done }}), fault.InvalidRequest)
	if len(e.Unwind) != 1 || len(e.Secondary) != 0 || e.Path != "0" {
		t.Errorf("at %s, trail %v, secondary errors %v", e.Path, e.Unwind, e.Secondary)
	}
}

func TestBrokenRuleIsTheLastError(t *testing.T) {
	inst := new(Activation)
	inner := callOp(inst, &testOp{
		exec:   func(f *Frame) Verdict { return f.Fail(errFirst) },
		handle: func(f *Frame, _ error) Verdict { breakRule(f); return Silent },
	})
	if err := runOps(t, inst, &testOp{exec: inner.exec, handle: func(f *Frame, err error) Verdict {
		if last := f.Run().Last(); last == error(errFirst) || !errors.Is(err, last) {
			t.Errorf("the last error is %v, want %v", last, err)
		}
		return Done
	}}); err != nil {
		t.Error(err)
	}
}

// E7: SetTimeout and SetCancel return false if they are refused.
func TestRefusedIsReported(t *testing.T) {
	_ = runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
		if f.SetTimeout(0) || f.SetTimeout(-1) || f.SetCancel(nil) {
			t.Error("a timeout of zero, one below or a nil hook is reported as set")
		}
		if !f.SetTimeout(1) || !f.SetCancel(func() {}) {
			t.Error("a timeout or a hook is reported as refused")
		}
		return Done
	}))
}

// P3, E7: the branches of a step that broke a rule don't begin. Here each turn has one step only.
func TestBrokenRuleStartsNoBranch(t *testing.T) {
	inst := new(Activation)
	starts := execOp(func(*Frame) Verdict { t.Error("a branch has started"); return Done })
	split := forkOp(inst, starts, starts)
	forks := execOp(func(f *Frame) Verdict { breakRule(f); return split.Exec(f) })
	wantCode(t, runOpsOn(t, tooltest.New(tooltest.WithSeed(1)), inst, forks), fault.InvalidRequest)
}

// E7: the errors of code that breaks many rules are bounded, and the last one tells how many were left out.
func TestRulesBrokenManyTimes(t *testing.T) {
	const times = 200_000
	err := runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
		for range times {
			breakRule(f)
		}
		return Done
	}))
	wantCode(t, err, fault.InvalidRequest)
	said := err.Error()
	if n := strings.Count(said, brokenRule); n > mostBroken+1 {
		t.Errorf("%d broken rules are told", n)
	}
	if want := strconv.Itoa(times-mostBroken) + " times more"; !strings.Contains(said, want) {
		t.Errorf("%q doesn't say %q", said, want)
	}
	if strings.Count(said, "\n") > 2*mostBroken {
		t.Errorf("the error has %d bytes", len(said))
	}
}

// E7, L1: if a body breaks a rule and then sends a break, its step fails with the error for the rule, and not by a break.
func TestBrokenRuleTakesTheBreakBack(t *testing.T) {
	var how error
	wantCode(t, runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
		f.SetCancel(func() { _, how = f.Outcome() })
		breakRule(f)
		return f.Jump(&Jump{})
	})), fault.InvalidRequest)
	if fault.CodeOf(how) != fault.InvalidRequest {
		t.Errorf("the step has ended with %v", how)
	}
}
