package laws_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// racing is a combinator whose branches race. Its result is a slice, even if only one branch can win.
type racing struct {
	name   string
	wins   func(branches int) int // how many branches must succeed to decide it
	losses func(branches int) int // how many failures it survives
	of     func(branches []step.Step[int, int]) step.Step[int, []int]
	every  time.Duration // how long after a branch the next one begins at the latest; 0: all begin at once
}

var (
	one     = func(int) int { return 1 }
	nobody  = func(int) int { return 0 }
	most    = func(n int) int { return n/2 + 1 }
	butOne  = func(n int) int { return n - 1 }
	theRest = func(n int) int { return n - most(n) }
)

const hedged = 10 * time.Millisecond

var racings = []racing{
	{"First", one, butOne, func(b []step.Step[int, int]) step.Step[int, []int] { return alone(flow.First(b...)) }, 0},
	{"Race", one, nobody, func(b []step.Step[int, int]) step.Step[int, []int] { return alone(flow.Race(b...)) }, 0},
	{"Some", most, theRest, func(b []step.Step[int, int]) step.Step[int, []int] { return flow.Some(most(len(b)), b...) }, 0},
	{"Hedge", one, butOne, func(b []step.Step[int, int]) step.Step[int, []int] { return alone(flow.Hedge(hedged, b...)) }, hedged},
}

func alone(s step.Step[int, int]) step.Step[int, []int] {
	return flow.Then(s, step.Map(func(v int) []int { return []int{v} }))
}

type rival struct {
	takes time.Duration
	fails bool
}

// errRival is the error of a branch or node, by its number.
type errRival int

func (e errRival) Error() string { return fmt.Sprintf("branch %d", int(e)) }

// raced is the result of a race, with what was seen of it.
type raced struct {
	Out    []int
	Errs   []errRival // those of the branches in the error, oldest first
	Ended  time.Duration
	Begun  []string // branch and time
	Hooks  []int    // branches that were left, in this order
	Stolen []int    // branches that have begun after the end
}

// race computes the expected outcome of r.
func (r racing) race(rivals []rival) raced {
	var want raced
	var ends []time.Duration // of those that have begun; below zero if the branch has ended
	next := func(now time.Duration) {
		want.Begun = append(want.Begun, fmt.Sprint(len(ends), now))
		ends = append(ends, now+rivals[len(ends)].takes)
	}
	begin := func(now time.Duration) time.Duration { next(now); return now + r.every }
	due := begin(0)
	for r.every == 0 && len(ends) < len(rivals) {
		begin(0)
	}
	for {
		i := -1
		for j, at := range ends {
			if at >= 0 && (i < 0 || at < ends[i]) {
				i = j
			}
		}
		if len(ends) < len(rivals) && (i < 0 || due < ends[i]) {
			due = begin(due)
			continue
		}
		want.Ended, ends[i] = ends[i], -1
		if rivals[i].fails {
			want.Errs = append(want.Errs, errRival(i))
			want.Hooks = append(want.Hooks, i)
			if len(want.Errs) > r.losses(len(rivals)) {
				want.Out = nil
				break
			}
			if len(ends) < len(rivals) {
				due = begin(want.Ended)
			}
			continue
		}
		if want.Out = append(want.Out, i); len(want.Out) == r.wins(len(rivals)) {
			want.Errs = nil
			break
		}
	}
	for i, at := range ends {
		if at >= 0 {
			want.Hooks = append(want.Hooks, i)
		}
	}
	return want
}

func (r racing) run(t *rapid.T, rivals []rival) raced {
	var got raced
	loop := tooltest.New()
	over := false
	branches := make([]step.Step[int, int], len(rivals))
	for i, b := range rivals {
		branches[i] = flow.OnCancel(step.New(func(as step.Scope, _ int) step.Next[int] {
			got.Begun = append(got.Begun, fmt.Sprint(i, loop.Now()))
			if over {
				got.Stolen = append(got.Stolen, i)
			}
			return step.Wait(as, func(done step.Done[int]) {
				as.Loop().Deferred(b.takes, func() {
					if b.fails {
						done.Fail(errRival(i))
					} else {
						done.Succeed(i)
					}
				})
			})
		}), func(step.Scope) { got.Hooks = append(got.Hooks, i) })
	}
	run := flow.Start(context.Background(), loop, r.of(branches), 0)
	run.Then(func([]int, error) { got.Ended, over = loop.Now(), true })
	loop.Run()
	out, err := run.Result()
	got.Out = out
	if e, ok := errors.AsType[*fault.Error](err); ok {
		for _, err := range append(slices.Clone(e.Secondary), e.Cause) {
			lost, _ := errors.AsType[errRival](err)
			got.Errs = append(got.Errs, lost)
		}
	}
	if errs := loop.Errors(); len(errs) > 0 {
		t.Errorf("reported: %v", errs)
	}
	return got
}

// Law 60, P6: a race is decided by the branches that end first.
func TestP6RacesAreDecidedByWhoEndsFirst(t *testing.T) {
	for _, r := range racings {
		t.Run(r.name, rapid.MakeCheck(func(t *rapid.T) {
			rivals := make([]rival, rapid.IntRange(1, 6).Draw(t, "branches"))
			for i := range rivals {
				// the last bits differ, so that no two branches end at the same time
				rivals[i].takes = time.Duration(rapid.IntRange(0, 50).Draw(t, "ms"))*time.Millisecond + time.Microsecond<<i
				rivals[i].fails = rapid.Bool().Draw(t, "fails")
			}
			if diff := cmp.Diff(r.race(rivals), r.run(t, rivals)); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
		}))
	}
}

// Law 61, P6, O7: under every schedule with few delays the branches that succeed first win, also if the run yields between the
// end of their last step and that of the race. No branch begins after that, and one that has begun succeeds or is left, once.
func TestP6EveryScheduleOfARace(t *testing.T) {
	for _, r := range racings {
		for fails := range 1 << 3 {
			for _, n := range []int{2, 3} {
				if fails >= 1<<n {
					continue
				}
				t.Run(fmt.Sprintf("%s of %d, %03b fail", r.name, n, fails), func(t *testing.T) {
					everySchedule(t, bounds(4-n, 3000), func(ctx context.Context, x *explore.Trial) error { return everyRace(ctx, x, r, n, fails) })
				})
			}
		}
	}
}

func everyRace(ctx context.Context, x *explore.Trial, r racing, n, fails int) error {
	x.Slow()
	var lines []string
	say := func(format string, args ...any) {
		line := fmt.Sprintf(format, args...)
		x.Note("%s", line)
		lines = append(lines, line)
	}
	pass := step.Map(func(in int) int { return in })
	branches := make([]step.Step[int, int], n)
	for i := range branches {
		begin := step.New(func(as step.Scope, _ int) step.Next[int] {
			say("begin %d", i)
			return step.Wait(as, func(done step.Done[int]) { _, _ = as.Loop().Deferred(hedged, func() { done.Succeed(i) }) })
		})
		end := step.Func(func(step.Scope, int) (int, error) {
			if fails>>i&1 != 0 {
				say("fail %d", i)
				return 0, errRival(i)
			}
			say("done %d", i)
			return i, nil
		})
		inner := flow.Named("inner", flow.Named("inmost", flow.Then(pass, end)))
		branches[i] = flow.OnCancel(flow.Then(begin, inner), func(step.Scope) { say("left %d", i) })
	}
	run := explore.Start(ctx, x, flow.Par(r.of(branches), alone(pass)), 0)
	run.Then(func(_ [][]int, err error) { say("end") })
	if err := x.Run(explore.Action{Name: "cancel", Do: func() { run.Cancel(nil) }}); err != nil {
		return err
	}
	if errs := x.Loop().Errors(); len(errs) > 0 {
		return fmt.Errorf("reported: %w", errors.Join(errs...))
	}
	out, err := run.Result()
	if errors.Is(err, flow.ErrRunning) {
		return err
	}
	return r.judge(lines, n, out, err)
}

func (r racing) judge(lines []string, n int, out [][]int, err error) error {
	if lines[len(lines)-1] != "end" {
		return errors.New("something happens after the end")
	}
	for i := range n {
		said := func(what string) (times int) {
			for _, line := range lines {
				if line == fmt.Sprint(what, " ", i) {
					times++
				}
			}
			return times
		}
		if said("begin") > 1 || said("left")+said("done") > 1 || said("left")+said("done") < said("begin") || said("fail") > said("left") {
			return fmt.Errorf("branch %d begins %d times, succeeds %d, fails %d, is left %d", i, said("begin"), said("done"), said("fail"), said("left"))
		}
	}
	if fault.CodeOf(err) == fault.Cancelled {
		return nil
	}
	var won, lost []int
	for at, line := range lines {
		what, who, _ := strings.Cut(line, " ")
		i, _ := strconv.Atoi(who)
		switch what {
		case "done":
			won = append(won, i)
		case "fail":
			lost = append(lost, i)
		}
		if decided := len(won) == r.wins(n) || len(lost) > r.losses(n); decided {
			for _, later := range lines[at+1:] {
				if what, _, _ := strings.Cut(later, " "); what == "begin" || what == "done" || what == "fail" {
					return fmt.Errorf("%s after %s, which decides", later, line)
				}
			}
			break
		}
	}
	return r.verdict(won, lost, n, out, err)
}

func (r racing) verdict(won, lost []int, n int, out [][]int, err error) error {
	if len(won) == r.wins(n) {
		if err != nil || !slices.Equal(out[0], won) {
			return fmt.Errorf("got %v, %w, want %v", out, err, won)
		}
		return nil
	}
	for _, i := range lost {
		if !errors.Is(err, errRival(i)) {
			return fmt.Errorf("got %w without that of branch %d", err, i)
		}
	}
	if len(lost) <= r.losses(n) {
		return fmt.Errorf("got %v, %w of a race that is undecided", out, err)
	}
	return nil
}
