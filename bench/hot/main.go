// Command hot does one kind of work again and again, so that its machine instructions can be counted: hot WORK COUNT. Without
// arguments it lists the kinds of work. hot suspended COUNT prints a heap profile of COUNT runs that wait, for go tool pprof.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/bench"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// errDeclared is made once, so that making it isn't counted.
var errDeclared = errors.New("declared")

// works lists plans whose paths are worth counting, with functions that run them count times. Plans of sixteen steps show the cost
// of a step apart from the cost of starting a run.
var works = []struct {
	name string
	run  func(plan step.Step[int, int], count int) error
	plan func() step.Step[int, int]
}{
	{"one-step-run", runs, func() step.Step[int, int] { return inc }},
	{"one-step-start", starts, func() step.Step[int, int] { return inc }},
	{"sixteen-steps", runs, func() step.Step[int, int] { return sixteen(inc) }},
	{"sixteen-levels", runs, func() step.Step[int, int] {
		s := inc
		for range 16 {
			inner := s
			s = step.New(func(as step.Scope, i int) step.Next[int] { return step.Into(as, inner, i) })
		}
		return s
	}},
	{"sixteen-waits", runs, func() step.Step[int, int] { return sixteen(step.New(bench.NewWaiter().Wait)) }},
	{"one-wait-start", starts, func() step.Step[int, int] { return step.New(bench.NewWaiter().Wait) }},
	{"one-limit-start", starts, func() step.Step[int, int] { return flow.Timeout(time.Hour, inc) }},
	{"one-section-start", starts, func() step.Step[int, int] { return syncx.Sync(syncx.NewMutex(1, -1), inc) }},
	{"two-branches-start", starts, func() step.Step[int, int] {
		return flow.Then(flow.Par2(inc, inc), step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B }))
	}},
	{"sixteen-wait-turns", runs, func() step.Step[int, int] {
		w := bench.NewWaiter()
		return loopx.Repeat(16, step.New(func(as step.Scope, t loopx.Iteration[int]) step.Next[int] { return w.Wait(as, t.Carry) }))
	}},
	{"sixteen-turns", runs, func() step.Step[int, int] {
		return loopx.Repeat(16, step.Func(func(_ step.Scope, t loopx.Iteration[int]) (int, error) { return t.Carry + 1, nil }))
	}},
	{"sixteen-limits", runs, func() step.Step[int, int] { return sixteen(flow.Timeout(time.Hour, inc)) }},
	{"sixteen-sections", runs, func() step.Step[int, int] { return sixteen(syncx.Sync(syncx.NewMutex(1, -1), inc)) }},
	{"hundred-elements", runs, func() step.Step[int, int] {
		hundred := make([]int, 100)
		each := flow.Then(step.Map(func(int) []int { return hundred }), flow.ParEach(100, inc))
		return flow.Then(each, step.Map(func(all []int) int { return len(all) }))
	}},
	{"hundred-branches", runs, func() step.Step[int, int] {
		hundred := make([]step.Step[int, int], 100)
		for i := range hundred {
			hundred[i] = inc
		}
		return flow.Then(flow.Par(hundred...), step.Map(func(all []int) int { return len(all) }))
	}},
	{"sixteen-breaker-calls", runs, func() step.Step[int, int] { return sixteen(syncx.Sync(syncx.NewBreaker(syncx.BreakerPolicy{}), inc)) }},
	{"sixteen-kept", runs, func() step.Step[int, int] {
		return sixteen(share.NewMemo(share.MemoPolicy{Lifetime: time.Hour}, step.Map(func(int) int { return 0 })).Get())
	}},
	{"one-load-start", starts, func() step.Step[int, int] { return share.NewMemo(share.MemoPolicy{}, inc).Get() }},
	{"hundred-askers-start", hundredStarts, func() step.Step[int, int] { return share.NewMemo(share.MemoPolicy{}, inc).Get() }},
	{"one-retry-run", runs, func() step.Step[int, int] { return retry.Of(retry.Policy{Tries: 3}, inc) }},
	{"one-breaker-call", runs, func() step.Step[int, int] { return syncx.Sync(syncx.NewBreaker(syncx.BreakerPolicy{}), inc) }},
	{"sixteen-recoveries", runs, func() step.Step[int, int] {
		fails := step.Func(func(step.Scope, int) (int, error) { return 0, errDeclared })
		return sixteen(flow.Catch(fails, func(step.Scope, error) step.Next[int] { return step.Succeed(1) }))
	}},
}

var inc = step.Func(func(_ step.Scope, i int) (int, error) { return i + 1, nil })

func sixteen(s step.Step[int, int]) step.Step[int, int] {
	var all [16]step.Step[int, int]
	for i := range all {
		all[i] = s
	}
	return flow.Chain(all[:]...)
}

func main() {
	runtime.LockOSThread() // its instructions are counted apart from those of the runtime's own threads
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "hot:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 2 && args[0] == "suspended" {
		count, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return suspended(count)
	}
	for _, w := range works {
		switch {
		case len(args) == 0:
			fmt.Println(w.name)
		case len(args) == 2 && args[0] == w.name:
			count, err := strconv.Atoi(args[1])
			if err != nil {
				return err
			}
			return w.run(w.plan(), count)
		}
	}
	if len(args) != 0 {
		return fmt.Errorf("no such work: %q", args)
	}
	return nil
}

func runs(plan step.Step[int, int], count int) error {
	ctx := context.Background()
	for range count {
		if _, err := flow.Run(ctx, plan, 0); err != nil {
			return err
		}
	}
	return nil
}

func starts(plan step.Step[int, int], count int) error {
	ctx, loop := context.Background(), tool.NewManual(tool.Options{})
	for range count {
		r := flow.Start(ctx, loop, plan, 0)
		for loop.Iterate() {
		}
		if _, err := r.Result(); err != nil {
			return err
		}
	}
	return nil
}

// hundredStarts starts count runs of the plan, a hundred at a time: it drives their loop until all of these have ended before it
// starts the next hundred.
func hundredStarts(plan step.Step[int, int], count int) error {
	ctx, loop := context.Background(), tool.NewManual(tool.Options{})
	var all [100]*flow.Running[int]
	for range count / len(all) {
		for i := range all {
			all[i] = flow.Start(ctx, loop, plan, 0)
		}
		for loop.Iterate() {
		}
		for _, r := range all {
			if _, err := r.Result(); err != nil {
				return err
			}
		}
	}
	return nil
}
