package planlaws_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/seedtest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/proptest/planlaws"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestMain(m *testing.M) {
	seedtest.Fix()
	leaktest.Main(m)
}

type (
	world = planlaws.World
	plan  = flow.Plan[int, int]
)

func calls(w *world, name string) step.Step[int, int] {
	return step.Func(func(_ step.Scope, in int) (int, error) { return in, w.Call(name) })
}

// waits returns a step that is completed after a second. With obeys, it cancels its timer when it is cancelled.
func waits(w *world, obeys bool) step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) {
			timer, _ := as.Loop().Deferred(time.Second, func() {
				w.Note("answer")
				done.Succeed(in)
			})
			if obeys {
				as.SetCancel(func() { as.Loop().Cancel(timer) })
			}
		})
	})
}

func bracket(w *world, s step.Step[int, int]) plan {
	return flow.Chain(step.New(func(as step.Scope, in int) step.Next[int] {
		if err := w.Call("open"); err != nil {
			return step.Fail[int](err)
		}
		w.Acquire("conn")
		step.StackCleanup(as, func(*int) { w.Release("conn") })
		return step.Into(as, s, in)
	}))
}

var good = map[string]func(w *world) plan{
	"one step": func(w *world) plan { return flow.Chain(calls(w, "a")) },
	"await": func(w *world) plan {
		return flow.Chain(step.Await(func(ctx context.Context, in int) (int, error) { return in + 1, w.Call("a") }))
	},
	"wait and hold": func(w *world) plan { return bracket(w, flow.Chain(calls(w, "a"), waits(w, true))) },
	"branches": func(w *world) plan {
		both := flow.Par2(bracket(w, waits(w, true)), bracket(w, calls(w, "b")))
		return flow.Then(both, step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B }))
	},
	"guard": func(w *world) plan {
		m := syncx.NewMutex(1, -1)
		w.Watch("inside", m.Inside)
		w.Watch("queued", m.Queued)
		section := syncx.Sync(m, waits(w, true))
		return flow.Then(flow.Par2(section, section), step.Map(func(p flow.Pair[int, int]) int { return p.A }))
	},
	"on": func(w *world) plan {
		return flow.On(new(tool.Group), flow.Chain(calls(w, "a"), waits(w, true)))
	},
	"linger": func(w *world) plan {
		return flow.First(flow.Linger(time.Hour, bracket(w, flow.Chain(calls(w, "a"), waits(w, true)))), flow.Linger(time.Hour, bracket(w, waits(w, true))))
	},
	"retry": func(w *world) plan {
		return retry.Of(retry.Policy{Pause: time.Second, Codes: []fault.Code{"Injected"}}, bracket(w, calls(w, "a")))
	},
	"bracket": func(w *world) plan {
		acquire := step.Func(func(_ step.Scope, in int) (int, error) {
			if err := w.Call("acquire"); err != nil {
				return 0, err
			}
			w.Acquire("lock")
			return in, nil
		})
		release := step.Func(func(_ step.Scope, e flow.Ended[int, int]) (struct{}, error) {
			w.Release("lock")
			return struct{}{}, nil
		})
		return flow.Bracket(acquire, waits(w, true), release)
	},
	"loop": func(w *world) plan {
		return flow.Chain(loopx.Repeat(3, flow.Then(
			step.Map(func(i loopx.Iteration[int]) int { return i.Carry }), calls(w, "a"))))
	},
}

// Slices that hold NaN count as the same result in each run, though they aren't equal.
func TestResultThatIsNotANumber(t *testing.T) {
	planlaws.Check(t, planlaws.Subject[int, []float64]{
		Plan: func(*world) flow.Plan[int, []float64] {
			return flow.Of(step.Map(func(int) []float64 { return []float64{math.NaN()} }))
		},
		Inputs: 1,
	})
}

func TestGoodPlansKeepTheLaws(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(good)) {
		t.Run(name, func(t *testing.T) {
			planlaws.Check(t, planlaws.Subject[int, int]{
				Plan:   good[name],
				Input:  func(r *rand.Rand) int { return r.IntN(10) },
				Inputs: 2,
				Judge: func(_, _ int, err error) error {
					if err != nil && !errors.Is(err, planlaws.ErrInjected) && !errors.Is(err, fault.Cancelled) &&
						!errors.Is(err, fault.Timeout) {
						return errors.New("another error than what was put in")
					}
					return nil
				},
			})
		})
	}
}

// Points and Schedules bound the number of runs of a plan, however long it is.
func TestRunsAreBounded(t *testing.T) {
	made := 0
	err := planlaws.Verify(planlaws.Subject[int, int]{
		Inputs: 1, Points: 2, Schedules: 3,
		Plan: func(w *world) plan {
			made++
			stages := make([]step.Step[int, int], 50)
			for i := range stages {
				stages[i] = calls(w, "a")
			}
			return flow.Chain(stages...)
		},
	})
	// two plans for the description, one plain, five compared, two errors, two panics, three cancels, three limits, three orders,
	// three drawn ones
	if want := 2 + 1 + 5 + 2 + 2 + 3 + 3 + 3 + 3; err != nil || made != want {
		t.Errorf("%d plans were made, want %d; %v", made, want, err)
	}
}

// counting is an error that acts when it is printed.
type counting struct{ w *world }

func (c counting) Error() string {
	c.w.Note("printed")
	return "counting"
}

var madeEver int

// Each plan has one defect, and breaks the law against that.
func TestDefectsBreakTheirLaw(t *testing.T) {
	mutex := syncx.NewMutex(1, 0)
	tests := []struct {
		name  string
		law   planlaws.Law
		plan  func(w *world) plan
		when  string // how the case that finds it begins
		what  string // part of the message
		judge func(in, out int, err error) error
	}{
		{"a plan with a nil step", planlaws.Valid, func(*world) plan { return flow.Timeout[int, int](-1, nil) }, "", "nil", nil},
		{"steps depend on the day", planlaws.Described, func(w *world) plan {
			if madeEver++; madeEver%2 == 0 {
				return flow.Named("even", calls(w, "a"))
			}
			return flow.Named("odd", calls(w, "a"))
		}, "", `"odd" → "even"`, nil},
		{"nobody answers", planlaws.Ends, func(*world) plan {
			return flow.Chain(step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) }))
		}, "0/plain", "nothing is left to wait for", nil},
		{"never done", planlaws.Ends, func(w *world) plan {
			return flow.Chain(loopx.Loop(waits(w, true)))
		}, "0/plain", "10000 callbacks", nil},
		{"an error isn't answered", planlaws.Ends, func(w *world) plan {
			return flow.Chain(step.New(func(as step.Scope, in int) step.Next[int] {
				return step.Wait(as, func(done step.Done[int]) {
					if w.Call("ask") == nil {
						done.Succeed(in)
					}
				})
			}))
		}, "0/error=1", "nothing is left to wait for", nil},
		{"a cancel is ignored", planlaws.Silent, func(w *world) plan { return flow.Chain(waits(w, false)) },
			"0/cancel=1", "answer", nil},
		{"a timer is left", planlaws.Silent, func(*world) plan {
			return flow.Chain(step.New(func(as step.Scope, in int) step.Next[int] {
				_, _ = as.Loop().Deferred(time.Second, func() {})
				return step.Succeed(in)
			}))
		}, "0/plain", "a timer was left until 1s", nil},
		{"released on success only", planlaws.Released, func(w *world) plan {
			return flow.Chain(
				step.Map(func(in int) int { w.Acquire("conn"); return in }), waits(w, true),
				step.Map(func(in int) int { w.Release("conn"); return in }))
		}, "0/cancel=", "conn: 1 not released", nil},
		{"not released after an error", planlaws.Released, func(w *world) plan {
			return flow.Chain(step.Func(func(_ step.Scope, in int) (int, error) {
				w.Acquire("conn")
				if err := w.Call("use"); err != nil {
					return 0, err
				}
				w.Release("conn")
				return in, nil
			}))
		}, "0/error=1", "conn: 1 not released", nil},
		{"not released after a panic", planlaws.Released, func(w *world) plan {
			return flow.Chain(step.Func(func(_ step.Scope, in int) (int, error) {
				w.Acquire("conn")
				err := w.Call("use")
				w.Release("conn")
				return in, err
			}))
		}, "0/panic=1", "conn: 1 not released", nil},
		{"released by hook and handler", planlaws.Released, func(w *world) plan {
			return flow.Chain(step.New(func(as step.Scope, in int) step.Next[int] {
				w.Acquire("conn")
				as.SetCancel(func() { w.Release("conn") })
				return step.Into(as, flow.Chain(waits(w, true), step.Map(func(in int) int {
					w.Release("conn")
					return in
				}), waits(w, true)), in)
			}))
		}, "0/cancel=", "released more often than acquired", nil},
		{"a guard is not left", planlaws.Released, func(w *world) plan {
			inside := 0
			w.Watch("gate", func() int { return inside })
			return flow.Chain(step.Map(func(in int) int { inside++; return in }), calls(w, "a"),
				step.Map(func(in int) int { inside--; return in }))
		}, "0/error=1", "gate: 1 at the end of the run", nil},
		{"a callback panics", planlaws.Quiet, func(*world) plan {
			return flow.Chain(step.New(func(as step.Scope, in int) step.Next[int] {
				_, _ = as.Loop().Immediate(func() { panic("callback") })
				return step.Succeed(in)
			}))
		}, "0/plain", "callback", nil},
		{"an error is dropped", planlaws.Raised, func(w *world) plan {
			return flow.Chain(step.Map(func(in int) int {
				_ = w.Call("save")
				return in
			}))
		}, "0/error=1", "is lost", nil},
		{"the order of a map", planlaws.Repeatable, func(w *world) plan {
			return flow.Chain(step.Map(func(in int) int {
				for range maps.Collect(slices.All(make([]int, 20))) {
					madeEver++
				}
				return madeEver
			}))
		}, "0/fresh", "first the result is", nil},
		{"the order of a map, in another order", planlaws.Repeatable, func(w *world) plan {
			last := 0
			set := func(n int) step.Step[int, int] { return step.Map(func(int) int { last = n; return n }) }
			return flow.Then(flow.Par2(set(1), set(2)), step.New(func(as step.Scope, _ flow.Pair[int, int]) step.Next[int] {
				if last == 2 {
					return step.Succeed(0)
				}
				if madeEver++; madeEver%2 == 0 {
					return step.Succeed(1)
				}
				return step.Into(as, flow.Chain(calls(w, "a"), calls(w, "b")), 1)
			}))
		}, "0/schedule=", "first", nil},
		{"a captured variable", planlaws.Value, func(*world) plan {
			sum := 0
			return flow.Chain(step.Map(func(in int) int {
				sum++
				return sum
			}))
		}, "0/again", "first the result is 1, then 2", nil},
		{"an error that does something when it is printed", planlaws.Unobserved, func(w *world) plan {
			fails := step.Func(func(step.Scope, int) (int, error) { return 0, counting{w} })
			return flow.Catch(fails, func(step.Scope, error) step.Next[int] { return step.Succeed(1) })
		}, "0/unobserved", "printed", nil},
		{"two branches and one balance", planlaws.Judged, func(w *world) plan {
			balance := 0
			deposit := flow.Chain(step.Map(func(int) int { return balance + 50 }), step.Map(func(sum int) int {
				balance = sum
				return sum
			}))
			both := flow.Then(flow.Par2(deposit, deposit), step.Map(func(flow.Pair[int, int]) int { return balance }))
			return flow.Chain(step.Map(func(int) int { balance = 0; return 0 }), both)
		}, "0/", "50", func(_, out int, err error) error {
			if err == nil && out != 100 {
				return fmt.Errorf("the balance is %d", out)
			}
			return nil
		}},
		{"in another order", planlaws.Judged, func(w *world) plan {
			last := 0
			set := func(n int) step.Step[int, int] { return step.Map(func(int) int { last = n; return n }) }
			return flow.Then(flow.Par2(set(1), set(2)), step.Map(func(flow.Pair[int, int]) int { return last }))
		}, "0/schedule=", "1", func(_, out int, err error) error {
			if err == nil && out != 2 {
				return errors.New("the second isn't last")
			}
			return nil
		}},
		{"shared by all plans", planlaws.Released, func(w *world) plan {
			w.Watch("mutex", mutex.Inside)
			return flow.Chain(step.New(func(as step.Scope, in int) step.Next[int] {
				return step.Into(as, syncx.Sync(mutex, step.Map(func(in int) int { return in + mutex.Inside() - 1 })), in)
			}), step.Func(func(step.Scope, int) (int, error) { w.Acquire("x"); return 0, nil }))
		}, "0/plain", "x: 1 not released", nil},
	}
	seen := map[planlaws.Law]bool{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := planlaws.Subject[int, int]{Plan: tt.plan, Judge: tt.judge}
			err := planlaws.Verify(s)
			broken, ok := errors.AsType[*planlaws.Violation](err)
			if !ok {
				t.Fatalf("got %v, want a violation of %v", err, tt.law)
			}
			if broken.Law != tt.law || !strings.HasPrefix(broken.Case, tt.when) || !strings.Contains(broken.What, tt.what) {
				t.Fatalf("got %s %v, want law %v by %s with %s", broken.Case, broken, tt.law, tt.when, tt.what)
			}
			if broken.Case == "" {
				return
			}
			again, ok := errors.AsType[*planlaws.Violation](planlaws.Replay(s, broken.Case))
			if !ok || again.Law != tt.law || again.Case != broken.Case {
				t.Errorf("the replay of %s finds %v", broken.Case, again)
			}
			s.Without = []planlaws.Law{tt.law}
			if err := planlaws.Replay(s, broken.Case); err != nil {
				t.Errorf("without its law the case finds %v", err)
			}
		})
		seen[tt.law] = true
	}
	for law := planlaws.Valid; law <= planlaws.Judged; law++ {
		if !seen[law] && law != planlaws.Cancelled {
			t.Errorf("no defect breaks law %v", law)
		}
	}
}

// named is a test that keeps its failure. Its name has characters that are special in a pattern.
type named struct {
	testing.TB
	failed string
}

func (n *named) Helper()                           {}
func (n *named) Name() string                      { return "TestPlans/a+b, it's" }
func (n *named) Fatalf(format string, args ...any) { n.failed = fmt.Sprintf(format, args...) }

func TestReplayNamesTheTest(t *testing.T) {
	n := &named{TB: t}
	planlaws.Check(n, planlaws.Subject[int, int]{
		Plan:  func(*planlaws.World) flow.Plan[int, int] { return flow.Chain[int]() },
		Judge: func(int, int, error) error { return errors.New("wrong") },
	})
	if want := `go test -run '^TestPlans$/^a\+b, it'\''s$' .`; !strings.Contains(n.failed, want) {
		t.Errorf("%s is missing in\n%s", want, n.failed)
	}
}
