package laws_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
)

// kept counts what happens to a resource or an effect: begun, acquired or done, released or undone.
type kept struct{ begin, had, back int }

type ledger struct {
	x    *explore.Trial
	kept map[string]*kept
	had  []string // effects that were done and not undone, in their order
	bad  error    // set if an effect was undone that wasn't the newest
}

func (l *ledger) of(name string) *kept {
	if l.kept[name] == nil {
		l.kept[name] = new(kept)
	}
	return l.kept[name]
}

func (l *ledger) waits() step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) { _, _ = as.Loop().Immediate(func() { done.Succeed(in) }) })
	})
}

// says returns a step that notes what and name, and adds 1 to the counter n.
func (l *ledger) says(what, name string, n func(*kept) *int) step.Step[int, int] {
	return step.Map(func(in int) int {
		l.x.Note("%s %s", what, name)
		*n(l.of(name))++
		if name[0] == 'e' {
			l.effect(what, name)
		}
		return in
	})
}

// effect updates the list of effects, and checks that the newest is undone first.
func (l *ledger) effect(what, name string) {
	last := len(l.had) - 1
	switch {
	case what == "had":
		l.had = append(l.had, name)
	case what != "back":
	case last < 0 || l.had[last] != name:
		l.bad = fmt.Errorf("%s is undone, of %v", name, l.had)
	default:
		l.had = l.had[:last]
	}
}

// get returns a step that waits and then acquires name. It has inner levels, made by flow.Named.
func (l *ledger) get(name string) flow.Plan[int, int] {
	begin := flow.Then(l.says("begin", name, func(k *kept) *int { return &k.begin }), l.waits())
	return flow.Named(name, flow.Then(begin, flow.Named("inner", flow.Then(step.Map(func(in int) int { return in }), l.says("had", name, func(k *kept) *int { return &k.had })))))
}

func (l *ledger) back(name string) flow.Plan[int, int] {
	return flow.Then(l.waits(), l.says("back", name, func(k *kept) *int { return &k.back }))
}

func (l *ledger) bracket(name string, use step.Step[int, int]) flow.Plan[int, int] {
	give := step.Map(func(e flow.Ended[int, int]) int { return e.Resource })
	return flow.Bracket(l.get(name), use, flow.Then(give, l.back(name)))
}

func (l *ledger) undo(name string) flow.Plan[int, int] { return flow.Undo(l.get(name), l.back(name)) }

// keeper is a program of law 67. Names that begin with an e are effects in a saga.
type keeper struct {
	of      func(*ledger) step.Step[int, int]
	effects int // effects that remain if the program succeeds
}

var keepers = map[string]keeper{
	"bracket":  {func(l *ledger) step.Step[int, int] { return l.bracket("r", l.waits()) }, 0},
	"fails":    {func(l *ledger) step.Step[int, int] { return l.bracket("r", fallen(l.waits())) }, 0},
	"nested":   {func(l *ledger) step.Step[int, int] { return l.bracket("r1", l.bracket("r2", l.waits())) }, 0},
	"shielded": {func(l *ledger) step.Step[int, int] { return flow.Shield(l.bracket("r", l.waits())) }, 0},
	"saga":     {func(l *ledger) step.Step[int, int] { return flow.Saga(flow.Then(l.undo("e1"), l.undo("e2"))) }, 2},
	"fails late": {func(l *ledger) step.Step[int, int] {
		return flow.Saga(flow.Then(l.undo("e1"), flow.Then(flow.Saga(l.undo("e2")), fallen(l.waits()))))
	}, 0},
	"both": {func(l *ledger) step.Step[int, int] {
		return flow.Saga(flow.Then(l.undo("e1"), l.bracket("r", l.undo("e2"))))
	}, 2},
	"break": {func(l *ledger) step.Step[int, int] {
		leave := step.New(func(step.Scope, int) step.Next[int] { return loopx.Break[int]() })
		in := step.Map(func(i loopx.Iteration[int]) int { return i.Carry })
		return loopx.Repeat(2, flow.Then(in, l.bracket("r", flow.Then(l.waits(), leave))))
	}, 0},
	"race": {func(l *ledger) step.Step[int, int] {
		return flow.First(l.bracket("r1", l.waits()), l.bracket("r2", l.waits()))
	}, 0},
}

func fallen(s step.Step[int, int]) step.Step[int, int] {
	return flow.Then(s, step.Func(func(step.Scope, int) (int, error) { return 0, errFallen }))
}

var errFallen = fault.New("Fallen", "as it should")

// Law 67, K1 to K5: what is acquired is released once, and what is done is undone once unless it has all
// succeeded, newest first, under every schedule with few delays, with a cancel, a limit, both, or a sibling that fails.
func TestK2EveryScheduleOfABracket(t *testing.T) {
	for name, program := range keepers {
		for _, trouble := range []string{"cancel", "limit", "sibling", "cancel and limit"} {
			t.Run(name+", "+trouble, func(t *testing.T) {
				everySchedule(t, bounds(2, 4000), func(ctx context.Context, x *explore.Trial) error {
					return everyBracket(ctx, x, program, trouble)
				})
			})
		}
	}
}

func everyBracket(ctx context.Context, x *explore.Trial, program keeper, trouble string) error {
	l := &ledger{x: x, kept: map[string]*kept{}}
	p := flow.Of(program.of(l))
	ended := false
	var actions []explore.Action
	if strings.Contains(trouble, "limit") {
		x.Slow()
		p = flow.Timeout(10*time.Millisecond, p)
	}
	if trouble == "sibling" {
		sibling := flow.Of(l.waits())
		for range x.Choose(9) {
			sibling = flow.Then(sibling, l.waits())
		}
		p = flow.Then(flow.Par(p, fallen(sibling)), step.Map(func(v []int) int { return v[0] }))
	}
	run := explore.Start(ctx, x, flow.Grace(-1, p), 1)
	run.Then(func(int, error) { x.Note("end"); ended = true })
	if strings.Contains(trouble, "cancel") {
		actions = append(actions, explore.Action{Name: "cancel", Do: func() { run.Cancel(nil) }})
	}
	if err := x.Run(actions...); err != nil {
		return err
	}
	if errs := x.Loop().Errors(); len(errs) > 0 {
		return fmt.Errorf("reported: %w", errors.Join(errs...))
	}
	_, err := run.Result()
	if !ended {
		return errors.New("the run has not ended")
	}
	return l.judge(program, err)
}

func (l *ledger) judge(k keeper, err error) error {
	for name, n := range l.kept {
		if name[0] == 'r' && n.back != n.had {
			return fmt.Errorf("%s is had %d times and given back %d times: %w", name, n.had, n.back, err)
		}
	}
	switch stand := len(l.had); {
	case l.bad != nil:
		return l.bad
	case err == nil && stand != k.effects || stand != 0 && stand != k.effects:
		return fmt.Errorf("%v stand: %w", l.had, err)
	case fault.CodeOf(err) == fault.InternalError:
		return err
	default:
		return nil
	}
}
