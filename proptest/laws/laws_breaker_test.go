package laws_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// visitor is a section of a guard: when it asks, how long it takes, and how it ends.
type visitor struct {
	at, after time.Duration
	how       string // ok, fails, late, or by the caller: cancel, limit
}

type pastOutcome struct {
	at     time.Duration
	failed bool
}

// breakerSays is a simple model of G6: which sections are let in, and the state after each has asked or ended. Asks are
// ordered by time, and none coincides with an end.
func breakerSays(p syncx.BreakerPolicy, asks []visitor) []string {
	var (
		log     []string
		state   = "closed"
		era     int
		again   time.Duration
		history []pastOutcome   // outcomes since the last change of state
		inside  = map[int]int{} // by section, the number of the state in which it entered
		values  int             // how many sections have ended with a value in time, their average time, and its average deviation
		usual   float64
		strays  float64
	)
	become := func(s string) { state, era, history = s, era+1, nil }
	open := func(now time.Duration) { become("open"); again = now + p.Pause }
	probing := func() (n int) {
		for _, e := range inside {
			if e == era {
				n++
			}
		}
		return n
	}
	endOf := func(i int) {
		now, a := asks[i].at+asks[i].after, asks[i]
		e, in := inside[i]
		delete(inside, i)
		if !in {
			return
		}
		took, slow := float64(a.after), p.Slow > 0 && a.after > p.Slow
		blamed := a.how == "limit" && (values == 0 || took > usual+4*strays)
		switch {
		case a.how != "ok" || slow:
		case values == 0:
			values, usual, strays = 1, took, took/2
		default:
			values++
			strays += (math.Abs(took-usual) - strays) / 4
			usual += (took - usual) / 8
		}
		failed := a.how == "fails" || blamed || slow
		switch {
		case e != era || a.how == "cancel" || a.how == "limit" && !failed:
		case state == "half-open" && failed:
			open(now)
		case state == "half-open":
			if history = append(history, pastOutcome{now, false}); len(history) == p.Probes {
				become("closed")
			}
		default:
			history = append(history, pastOutcome{now, failed})
			n, failures := 0, 0
			for k, h := range history {
				if p.Window > 0 && h.at/(p.Window/10) <= now/(p.Window/10)-10 || p.Last > 0 && k < len(history)-p.Last {
					continue
				}
				n++
				if h.failed {
					failures++
				}
			}
			if p.Failures > 0 && failures >= p.Failures || p.Rate > 0 && n >= p.MinSections && float64(failures)/float64(n) >= p.Rate {
				open(now)
			}
		}
		log = append(log, fmt.Sprintf("end%d:%s", i, state))
	}
	askOf := func(i int) {
		if state == "open" && asks[i].at >= again {
			become("half-open")
		}
		answer := "in"
		if state == "open" || state == "half-open" && probing()+len(history) >= p.Probes {
			answer = "refused"
		} else {
			inside[i] = era
		}
		log = append(log, fmt.Sprintf("ask%d:%s:%s", i, answer, state))
	}
	type event struct {
		at time.Duration
		do func()
	}
	var events []event
	for i, a := range asks {
		events = append(events, event{a.at, func() { askOf(i) }}, event{a.at + a.after, func() { endOf(i) }})
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	for _, e := range events {
		e.do()
	}
	return log
}

// Law 62. A breaker changes its state as its policy says for the outcomes that count.
func TestG6BreakerIsItsPolicy(t *testing.T) {
	const ms = time.Millisecond
	opened, limited := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		p := syncx.BreakerPolicy{
			Pause:  time.Duration(rapid.IntRange(1, 60).Draw(rt, "pause")) * ms,
			Probes: rapid.IntRange(1, 3).Draw(rt, "probes"),
			Slow:   time.Duration(rapid.SampledFrom([]int{0, 0, 20}).Draw(rt, "slow")) * ms,
		}
		if rapid.Bool().Draw(rt, "rate") {
			p.MinSections = rapid.IntRange(1, 6).Draw(rt, "min")
			p.Rate = rapid.SampledFrom([]float64{0.25, 0.5, 0.75, 1}).Draw(rt, "share")
		} else {
			p.Failures = rapid.IntRange(1, 4).Draw(rt, "failures")
		}
		if rapid.Bool().Draw(rt, "timed") {
			p.Window = time.Duration(rapid.IntRange(1, 20).Draw(rt, "window")) * 10 * ms
		} else {
			p.Last = max(p.Failures, p.MinSections) + rapid.IntRange(0, 3).Draw(rt, "more")
		}
		asks := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) visitor {
			return visitor{
				time.Duration(2*rapid.IntRange(0, 150).Draw(rt, "at")) * ms,
				time.Duration(2*rapid.IntRange(0, 15).Draw(rt, "after")+1) * ms,
				rapid.SampledFrom([]string{"ok", "ok", "fails", "fails", "cancel", "limit"}).Draw(rt, "how"),
			}
		}), 0, 60).Draw(rt, "asks")
		slices.SortStableFunc(asks, func(a, b visitor) int { return cmp.Compare(a.at, b.at) })
		for i := range asks {
			asks[i].after += time.Duration(i) * time.Microsecond // no two end at once
		}

		loop := tooltest.New()
		b := syncx.NewBreaker(p)
		s := syncx.Sync(b, step.New(func(as step.Scope, a visitor) step.Next[visitor] {
			return step.Wait(as, func(done step.Done[visitor]) {
				_, _ = loop.Deferred(a.after, func() {
					if a.how == "fails" {
						done.Fail(fault.ConnectError)
					} else {
						done.Succeed(a)
					}
				})
			})
		}))
		var got []string
		note := func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) }
		for i, a := range asks {
			in, s := a, step.Step[visitor, visitor](s)
			switch a.how {
			case "cancel":
				in.after = time.Hour
			case "limit":
				in.after = time.Hour
				s = flow.Timeout(a.after, s)
			}
			_, _ = loop.Deferred(a.at, func() {
				run := flow.Start(context.Background(), loop, s, in)
				_, _ = loop.Immediate(func() {
					_, err := run.Result()
					if errors.Is(err, syncx.CircuitOpen) {
						note("ask%d:refused:%v", i, b.State())
						return
					}
					note("ask%d:in:%v", i, b.State())
					if a.how == "cancel" {
						_, _ = loop.Deferred(a.after, func() { run.Cancel(nil) })
					}
					run.Then(func(visitor, error) { note("end%d:%v", i, b.State()) })
				})
			})
		}
		loop.Run()
		if want := breakerSays(p, asks); !slices.Equal(got, want) {
			rt.Fatalf("%+v\nasks %v\n got %v\nwant %v", p, asks, got, want)
		}
		if b.Inside() != 0 {
			rt.Errorf("%d inside", b.Inside())
		}
		if b.State() != syncx.Closed {
			opened++
		}
		if slices.ContainsFunc(asks, func(a visitor) bool { return a.how == "limit" }) {
			limited++
		}
	})
	if opened == 0 || limited == 0 {
		t.Errorf("%d breakers were left open, %d had limits around sections", opened, limited)
	}
}
