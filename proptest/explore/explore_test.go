package explore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// letters returns a body in which n callbacks are ready at the same time; it notes their order.
func letters(n int) explore.Body {
	return func(x *explore.Trial) error {
		for i := range n {
			_, _ = x.Loop().Immediate(func() { x.Note("%d", i) })
		}
		return x.Run()
	}
}

func TestAllTriesEachScheduleOnce(t *testing.T) {
	for n, want := range map[int]int{0: 1, 1: 1, 2: 2, 3: 6, 4: 24} {
		r := explore.All(explore.Bounds{}, letters(n))
		if r.Schedules != want || r.Outcomes != want || !r.Complete || r.Failure != nil {
			t.Errorf("%d callbacks: %+v, want all %d orders once", n, r, want)
		}
	}
}

func TestBounds(t *testing.T) {
	if r := explore.All(explore.Bounds{Schedules: 5}, letters(4)); r.Schedules != 5 || r.Complete {
		t.Errorf("with at most 5 schedules: %+v", r)
	}
	if r := explore.All(explore.Bounds{Schedules: 24}, letters(4)); r.Schedules != 24 || !r.Complete {
		t.Errorf("with just enough schedules: %+v", r)
	}
	// one delay: the plain order, or another answer to one of the questions, which have 4, 3 and 2 answers
	if r := explore.All(explore.Bounds{Delays: 1}, letters(4)); r.Schedules != 1+3+2+1 || !r.Complete {
		t.Errorf("with one delay: %+v", r)
	}
}

func TestDrawn(t *testing.T) {
	r := explore.Drawn(1, 200, letters(3))
	if r.Trials != 200 || r.Schedules != 6 || r.Outcomes != 6 || r.Complete {
		t.Errorf("got %+v", r)
	}
	order := func(seed uint64) (notes []string) {
		explore.Drawn(seed, 20, func(x *explore.Trial) error {
			notes = append(notes, fmt.Sprint(x.Choose(1000)))
			return nil
		})
		return notes
	}
	if !slices.Equal(order(7), order(7)) || slices.Equal(order(7), order(8)) {
		t.Error("the seed doesn't decide")
	}
}

// Each action from outside happens once, at any point.
func TestRunInjectsActionsEverywhere(t *testing.T) {
	seen := map[string]bool{}
	r := explore.All(explore.Bounds{}, func(x *explore.Trial) error {
		var order []string
		done := func(what string) func() { return func() { order = append(order, what) } }
		_, _ = x.Loop().Immediate(done("1"))
		_, _ = x.Loop().Deferred(1, done("2"))
		err := x.Run(explore.Action{Name: "a", Do: done("a")}, explore.Action{Name: "b", Do: done("b")})
		seen[strings.Join(order, "")] = true
		return err
	})
	if len(seen) != 12 || !r.Complete { // 1 before 2, and a and b anywhere
		t.Errorf("%d orders: %v", len(seen), seen)
	}
}

// With a cancel at every point, each branch that has begun is cleaned up once, and its hook is called once if its wait wasn't
// completed before, and otherwise never.
func TestCancelAtEveryPoint(t *testing.T) {
	explore.Check(t, explore.Bounds{}, func(x *explore.Trial) error {
		var one, two waitRecord
		run := flow.Start(context.Background(), x.Loop(), flow.Par(one.plan(), two.plan()), 0)
		if err := x.Run(explore.Action{Name: "cancel", Do: func() { run.Cancel(nil) }}); err != nil {
			return err
		}
		_, err := run.Result()
		x.Note("%v: %+v, %+v", fault.CodeOf(err), one, two)
		if err != nil && !errors.Is(err, fault.Cancelled) || err == nil && (!one.completed || !two.completed) {
			return fmt.Errorf("%+v, %+v, %w", one, two, err)
		}
		return errors.Join(one.judge(), two.judge())
	})
}

// waitRecord records what becomes of a step that waits.
type waitRecord struct {
	begun, completed bool
	hooks, cleanups  int
}

func (r *waitRecord) plan() step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		r.begun = true
		as.SetCancel(func() { r.hooks++ })
		step.StackCleanup(as, func(*int) { r.cleanups++ })
		return step.Wait(as, func(done step.Done[int]) {
			_, _ = as.Loop().Deferred(1, func() { r.completed = done.Succeed(in) })
		})
	})
}

func (r *waitRecord) judge() error {
	hooks, cleanups := 0, 0
	if r.begun {
		cleanups = 1
	}
	if r.begun && !r.completed {
		hooks = 1
	}
	if r.hooks != hooks || r.cleanups != cleanups {
		return fmt.Errorf("%+v, want %d hooks and %d cleanups", *r, hooks, cleanups)
	}
	return nil
}

var errThird = errors.New("the third was first")

// thirdFirst is a body that fails if the last of three callbacks is executed first.
func thirdFirst(x *explore.Trial) error {
	first := -1
	for i := range 3 {
		_, _ = x.Loop().Immediate(func() {
			if first < 0 {
				first = i
			}
		})
	}
	x.Choose(5) // without an effect on the failure
	if err := x.Run(); err != nil {
		return err
	}
	if first == 2 {
		return errThird
	}
	return nil
}

func TestFailuresAreSimplified(t *testing.T) {
	r := explore.Drawn(1, 1000, thirdFirst)
	if r.Failure == nil || !errors.Is(r.Failure.Err, errThird) {
		t.Fatalf("not found: %+v", r)
	}
	if got := r.Failure.Schedule.String(); got != "0.2" {
		t.Errorf("schedule %s, want 0.2", got)
	}
	if err := explore.Replay(r.Failure.Schedule, thirdFirst); !errors.Is(err, errThird) {
		t.Errorf("the replay gives %v", err)
	}
	if err := explore.Replay(nil, thirdFirst); err != nil {
		t.Errorf("the plain schedule gives %v", err)
	}
}

// With time that passes while callbacks are ready, the limit can pass after any number of hops.
func TestSlowInjectsTimeouts(t *testing.T) {
	const hops = 3
	seen := map[string]bool{}
	work := func(slow bool) explore.Body {
		return func(x *explore.Trial) error {
			if slow {
				x.Slow()
			}
			done := 0
			hop := step.New(func(as step.Scope, in int) step.Next[int] {
				return step.Wait(as, func(end step.Done[int]) {
					_, _ = as.Loop().Immediate(func() {
						done++
						end.Succeed(in)
					})
				})
			})
			run := explore.Start(t.Context(), x, flow.Timeout(5, flow.Chain(hop, hop, hop)), 0)
			err := x.Run()
			_, failed := run.Result()
			seen[fmt.Sprint(done, " ", string(fault.CodeOf(failed)))] = true
			return err
		}
	}
	if r := explore.All(explore.Bounds{}, work(false)); r.Failure != nil || len(seen) != 1 || !seen["3 "] {
		t.Errorf("where callbacks take no time: %v, %v", seen, r.Failure)
	}
	r := explore.All(explore.Bounds{}, work(true))
	for done := range hops + 1 {
		if !seen[fmt.Sprint(done, " ", string(fault.Timeout))] {
			t.Errorf("never timed out after %d hops: %v", done, seen)
		}
	}
	if r.Failure != nil || !r.Complete || r.Outcomes != 1 || len(seen) != hops+2 { // it notes nothing
		t.Errorf("got %v, %+v", seen, r)
	}
}

func TestFailuresShowThePlan(t *testing.T) {
	r := &recorder{TB: t}
	explore.Check(r, explore.Bounds{}, func(x *explore.Trial) error {
		fails := step.Func(func(step.Scope, int) (int, error) { return 0, errThird })
		run := explore.Start(t.Context(), x, flow.Chain(flow.Named("first", step.Map(func(in int) int { return in })), fails), 0)
		if err := x.Run(); err != nil {
			return err
		}
		_, err := run.Result()
		return err
	})
	for _, want := range []string{"plan 1:\n\t0 map \"first\" (explore_test.go:", "\n\t1 func (explore_test.go:"} {
		if !strings.Contains(r.failed, want) {
			t.Errorf("%q is missing in\n%s", want, r.failed)
		}
	}
}

func TestCheckCountsDifferentSchedules(t *testing.T) {
	r := &recorder{TB: t}
	explore.Check(r, explore.Bounds{Schedules: 23}, letters(4))
	if want := "24 schedules of about 24; at least 24 different outcomes"; r.failed != "" || r.logged != want {
		t.Errorf("logged %q, %s", r.logged, r.failed)
	}
}

// Check draws some schedules first and others early, beside those of the exhaustive search.
func TestCheckDrawsEarly(t *testing.T) {
	for _, c := range []struct{ callbacks, trials int }{{4, 36 + 24}, {5, 120 + 100}, {6, 720 + 500}, {8, 20_000}} {
		trials := 0
		explore.Check(&recorder{TB: t}, explore.Bounds{}, func(x *explore.Trial) error {
			trials++
			return letters(c.callbacks)(x)
		})
		if trials != c.trials {
			t.Errorf("%d callbacks: %d trials, want %d", c.callbacks, trials, c.trials)
		}
	}
}

// If all schedules within a bound of delays can be tried, no others are.
func TestCheckKeepsToItsDelays(t *testing.T) {
	r := &recorder{TB: t}
	explore.Check(r, explore.Bounds{Delays: 2}, letters(9))
	if want := "583 schedules, all with at most 2 delays; at least 583 different outcomes"; r.logged != want {
		t.Errorf("logged %q", r.logged)
	}
}

// If not all orders have to be tried, the report has no estimate of their number.
func TestCheckEstimatesNoParts(t *testing.T) {
	r := &recorder{TB: t}
	explore.Check(r, explore.Bounds{Schedules: 30}, func(x *explore.Trial) error {
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			x.Apart(name, func() { _, _ = x.Loop().Immediate(func() { x.Note("%s", name) }) })
		}
		return x.Run()
	})
	if !strings.Contains(r.logged, " schedules, not all there are; ") {
		t.Errorf("logged %q", r.logged)
	}
}

type recorder struct {
	testing.TB
	failed string
	logged string
}

func (r *recorder) Helper()                           {}
func (r *recorder) Name() string                      { return "TestOrder/it's_third_(last)" }
func (r *recorder) Logf(format string, values ...any) { r.logged = fmt.Sprintf(format, values...) }
func (r *recorder) Fatal(args ...any)                 { r.failed = fmt.Sprint(args...) }

func TestCheckReportsTheReplay(t *testing.T) {
	r := &recorder{TB: t}
	explore.Check(r, explore.Bounds{}, thirdFirst)
	for _, want := range []string{errThird.Error(), `EXPLORE_REPLAY=0.2 go test -run '^TestOrder$/^it'\''s_third_\(last\)$' .`} {
		if !strings.Contains(r.failed, want) {
			t.Errorf("%q is missing in\n%s", want, r.failed)
		}
	}
	t.Setenv(explore.ReplayVar, "0.2")
	r.failed = ""
	explore.Check(r, explore.Bounds{}, thirdFirst)
	if !strings.Contains(r.failed, errThird.Error()) {
		t.Errorf("the replay gives %q", r.failed)
	}
	t.Setenv(explore.ReplayVar, "no schedule")
	if explore.Check(r, explore.Bounds{}, thirdFirst); !strings.Contains(r.failed, "no schedule") {
		t.Errorf("a bad schedule gives %q", r.failed)
	}
}

func TestEndless(t *testing.T) {
	err := explore.Replay(nil, func(x *explore.Trial) error {
		var again func()
		again = func() { _, _ = x.Loop().Immediate(again) }
		again()
		return x.Run()
	})
	if !errors.Is(err, explore.ErrEndless) {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"plain", "0.2.1", "", "1..2", "-1", "99999999999999999999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := explore.Parse(text)
		if err != nil {
			return
		}
		again, err := explore.Parse(s.String())
		if err != nil || again.String() != s.String() || again.Delays() != s.Delays() {
			t.Errorf("%q is %v, then %v, %v", text, s, again, err)
		}
	})
}
