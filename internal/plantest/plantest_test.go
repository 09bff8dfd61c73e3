package plantest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var errPlain = errors.New("plain")

var (
	double  = step.Map(func(in int) int { return 2 * in })
	failing = flow.Named("failing", plantest.Fail[int, int](errPlain))
	never   = plantest.Never[int, int]()
)

// recorder is a test that keeps its failures.
type recorder struct {
	testing.TB

	failures []string
	cleanups []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatal(args ...any) { panic(stopped(fmt.Sprint(args...))) }

func (r *recorder) Fatalf(format string, args ...any) { panic(stopped(fmt.Sprintf(format, args...))) }

// stopped is the panic that a recorder uses instead of runtime.Goexit.
type stopped string

// record runs f as a test, with its cleanups, and returns how it failed.
func record(t *testing.T, f func(tb testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	func() {
		defer func() {
			if p := recover(); p != nil {
				r.failures = append(r.failures, fmt.Sprint(p))
			}
		}()
		f(r)
	}()
	for _, f := range r.cleanups {
		f()
	}
	return strings.Join(r.failures, "\n")
}

// Each check passes a right result, and fails a wrong one with a message that tells why.
func TestChecks(t *testing.T) {
	tests := []struct {
		name  string
		check func(tb testing.TB)
		want  string // the failure
	}{
		{"a result", func(tb testing.TB) { plantest.WantResult(tb, double, 2, 4) }, ""},
		{"another result", func(tb testing.TB) { plantest.WantResult(tb, double, 2, 5) }, "got 4, want 5"},
		{"an error", func(tb testing.TB) { plantest.WantResult(tb, failing, 2, 0) }, `failed: plain (at 0 "failing")`},
		{"never ends", func(tb testing.TB) { _, _ = plantest.Run(tb, never, 0) }, "the run hasn't ended"},
		{"hasn't ended", func(tb testing.TB) {
			_, run := plantest.Start(tb, double, 2)
			_, _ = plantest.Result(tb, run)
		}, "the run hasn't ended"},
		{"started and not driven", func(tb testing.TB) { plantest.Start(tb, never, 2) }, ""},
		{"reported to the loop", func(tb testing.TB) {
			loop := plantest.NewLoop(tb)
			_, _ = loop.Immediate(func() { panic(errPlain) })
			loop.Run()
		}, "reported to the loop: tool: callback panicked: plain"},
		{"reported to the loop of a run", func(tb testing.TB) {
			loop, run := plantest.Start(tb, double, 2)
			run.Then(func(int, error) { panic(errPlain) })
			_, _ = plantest.Wait(tb, loop, run)
		}, "reported to the loop: tool: callback panicked: plain"},
		{"without an end", func(tb testing.TB) {
			loop := plantest.NewLoop(tb)
			var again func()
			again = func() { _, _ = loop.Immediate(again) }
			again()
			loop.Run()
		}, "reported to the loop: " + tooltest.ErrLimit.Error()},
		{"the code", func(tb testing.TB) { plantest.WantCode(tb, fault.New("Bad", "so"), "Bad") }, ""},
		{"the code of what is wrapped", func(tb testing.TB) {
			plantest.WantCode(tb, fmt.Errorf("deep: %w", fault.New("Bad", "so")), "Bad")
		}, ""},
		{"another code", func(tb testing.TB) { plantest.WantCode(tb, fault.New("Bad", "so"), "Good") }, "got code Bad of Bad: so, want Good"},
		{"no code", func(tb testing.TB) { plantest.WantCode(tb, errPlain, fault.InternalError) },
			"got *errors.errorString plain, want a *fault.Error"},
		{"no error", func(tb testing.TB) { plantest.WantCode(tb, nil, "") }, ""},
		{"an error where none should be", func(tb testing.TB) { plantest.WantCode(tb, fault.New("Bad", "so"), "") },
			"failed: Bad: so"},
		{"no error where one should be", func(tb testing.TB) { plantest.WantCode(tb, nil, "Bad") }, "got <nil> <nil>, want a *fault.Error"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := record(t, tt.check); got != tt.want {
				t.Errorf("failed with %q, want %q", got, tt.want)
			}
		})
	}
}

func TestResults(t *testing.T) {
	if got, err := plantest.Run(t, double, 21); got != 42 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
	_, err := plantest.Run(t, step.Func(func(step.Scope, int) (int, error) { return 0, fault.New("Bad", "so") }), 0)
	if e := plantest.WantCode(t, err, "Bad"); e.Info != "so" {
		t.Errorf("got %v", e)
	}
}
