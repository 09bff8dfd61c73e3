package laws_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Law 43, G2: under every schedule, up to a bound, flows enter a mutex with one place in the order in which they asked. With one or
// two places, it is free in the end.
func TestG2MutexIsFIFO(t *testing.T) {
	explore.Check(t, bounds(0, 3000), func(x *explore.Trial) error {
		places := 1 + x.Choose(2)
		m := syncx.NewMutex(places, -1)
		ask := &asking{Guard: m}
		var entered []string
		section := syncx.Sync(ask, step.Func(func(as step.Scope, in int) (int, error) {
			entered = append(entered, branches(as.Path()))
			return in, nil
		}))
		run := flow.Start(t.Context(), x.Loop(), flow.Par(section, section, section), 0)
		if err := x.Run(); err != nil {
			return err
		}
		if _, err := run.Result(); err != nil {
			return err
		}
		if m.Inside() != 0 || m.Queued() != 0 {
			return errors.New("the mutex isn't free in the end")
		}
		x.Note("asked %v, entered %v", ask.order, entered)
		if places == 1 && !slices.Equal(ask.order, entered) {
			return fmt.Errorf("asked %v, entered %v", ask.order, entered)
		}
		return nil
	})
}

// Law 52, G3: under every schedule, up to a bound, flows enter a throttle in the order in which they asked, as many in each period
// as allowed, without drift.
func TestG3ThrottleIsFIFO(t *testing.T) {
	const period = 10 * time.Millisecond
	explore.Check(t, bounds(0, 3000), func(x *explore.Trial) error {
		rate := 1 + x.Choose(2)
		ask := &asking{Guard: syncx.NewThrottle(rate, period, -1)}
		entered := map[string]time.Duration{}
		section := syncx.Sync(ask, step.Func(func(as step.Scope, in int) (int, error) {
			entered[branches(as.Path())] = x.Loop().Now()
			return in, nil
		}))
		run := flow.Start(t.Context(), x.Loop(), flow.Par(section, section, section, section), 0)
		if err := x.Run(); err != nil {
			return err
		}
		x.Note("asked %v, entered %v", ask.order, entered)
		for i, flow := range ask.order {
			if want := time.Duration(i/rate) * period; entered[flow] != want {
				return fmt.Errorf("flow %s has entered at %v, want %v", flow, entered[flow], want)
			}
		}
		_, err := run.Result()
		return err
	})
}

type asking struct {
	syncx.Guard
	order   []string
	answers []fault.Code
}

func (a *asking) Enter(t *syncx.Ticket) (bool, error) {
	a.order = append(a.order, branches(t.Path()))
	entered, err := a.Guard.Enter(t)
	a.answers = append(a.answers, answer(entered, err))
	return entered, err
}

// Law 53, G2 to G5: after a program has ended, its guards let in, queue and reject as many flows as free ones do.
func TestPermitsAreConserved(t *testing.T) {
	hold := step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) })
	give := func(step.Scope, error) step.Next[int] { return step.Succeed(0) }
	rapid.Check(t, func(t *rapid.T) {
		p := programs(shape{guarded: true}).Draw(t, "program")
		m := build(p)
		loop := tooltest.New(tooltest.WithSeed(rapid.Uint64().Draw(t, "order")))
		if _, err := m.stepped(loop); err != nil {
			t.Fatal(err)
		}
		for i, spec := range p.guards {
			loop.Advance(time.Second) // its window ends
			ask := &asking{Guard: m.b.guards[i]}
			flows := slices.Repeat([]stage{flow.Catch(syncx.Sync(ask, hold), give)}, 7)
			run := flow.Start(t.Context(), loop, flow.Par(flows...), 0)
			loop.Advance(0)
			if want := spec.answers(len(flows)); !slices.Equal(ask.answers, want) {
				t.Errorf("%v says %q, want %q", spec, ask.answers, want)
			}
			run.Cancel(nil)
			loop.Run()
		}
	})
}

// answers returns the answers of a free guard to this number of flows that ask one after the other.
func (g guardSpec) answers(flows int) (all []fault.Code) {
	fits := func(n, most int) bool { return most < 0 || n < most }
	places, entered, queue, line := 0, 0, 0, 0
	for range flows {
		switch {
		case g.counts() && places == g.max && fits(queue, g.queue):
			queue++
			all = append(all, queued)
		case g.counts() && places == g.max:
			all = append(all, fault.DefenseRejected)
		case !g.times() || entered < g.rate:
			places++
			entered++
			all = append(all, inside)
		case fits(line, g.burst):
			places++
			line++
			all = append(all, queued)
		default:
			all = append(all, fault.DefenseRejected)
		}
	}
	return all
}
