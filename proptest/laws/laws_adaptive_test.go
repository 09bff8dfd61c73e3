package laws_test

import (
	"cmp"
	"context"
	"fmt"
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

// adaptiveSays is a simple model of G10. It returns the limit after each section, or that the section is rejected.
func adaptiveSays(p syncx.AdaptivePolicy, asks []visitor) []string {
	type event struct {
		at   time.Duration
		i    int
		asks bool
	}
	var (
		log      []string
		events   []event
		limit    = float64(p.Start)
		inside   = map[int]bool{}
		usual    float64
		windows  int
		end      time.Duration = -1
		times    []time.Duration
		outcomes int
		busiest  int
		overload bool
	)
	for i, a := range asks {
		events = append(events, event{a.at, i, true}, event{a.at + a.after, i, false})
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	for _, e := range events {
		a := asks[e.i]
		if e.asks {
			inside[e.i] = len(inside) < int(limit)
			if !inside[e.i] {
				delete(inside, e.i)
				log = append(log, fmt.Sprintf("%d:rejected", e.i))
			}
			continue
		}
		if !inside[e.i] {
			continue
		}
		impatient := a.how == "limit" && windows > 0 && float64(a.after) <= p.Tolerance*usual
		if a.how != "cancel" && a.how != "fails" && !impatient {
			if end < 0 {
				end = e.at + p.Window
			}
			outcomes, busiest = outcomes+1, max(busiest, len(inside))
			if a.how == "late" || a.how == "limit" {
				overload = true
			} else {
				times = append(times, a.after)
			}
			if e.at >= end && outcomes >= p.MinSections {
				ratio := 1.
				if len(times) > 0 {
					sum := time.Duration(0)
					for _, d := range times {
						sum += d
					}
					mean := float64(sum) / float64(len(times))
					switch windows++; {
					case windows <= 10:
						usual += (mean - usual) / float64(windows)
					case mean <= usual*p.Tolerance: // otherwise it is an incident
						usual += (mean - usual) * 2 / 601
					}
					if ratio = usual / mean; ratio > 2 {
						usual *= 0.95
					}
				}
				switch {
				case overload:
					limit *= 0.9
				case float64(busiest) >= limit/2:
					limit += (limit*max(0.5, min(1, p.Tolerance*ratio)) + 4 - limit) * 0.2
				}
				limit = max(float64(p.Min), min(float64(p.Max), limit))
				end, times, outcomes, busiest, overload = e.at+p.Window, nil, 0, 0, false
			}
		}
		delete(inside, e.i)
		log = append(log, fmt.Sprintf("%d:%d", e.i, int(limit)))
	}
	return log
}

// Law 74. The limit of an Adaptive is what the formula gives for its windows, and no more flows than that are let in.
func TestG10AdaptiveIsItsRule(t *testing.T) {
	const ms = time.Millisecond
	rose, fell, full := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		p := syncx.AdaptivePolicy{
			Min:         rapid.IntRange(1, 4).Draw(rt, "min"),
			Start:       rapid.IntRange(4, 10).Draw(rt, "start"),
			Max:         rapid.IntRange(10, 20).Draw(rt, "max"),
			Window:      time.Duration(rapid.IntRange(1, 30).Draw(rt, "window")) * ms,
			MinSections: rapid.IntRange(1, 4).Draw(rt, "sections"),
			Tolerance:   rapid.SampledFrom([]float64{1, 1.5, 2}).Draw(rt, "tolerance"),
		}
		pace := rapid.IntRange(20, 600).Draw(rt, "pace")
		bad := rapid.SampledFrom([]string{"ok", "ok", "late", "limit", "fails", "cancel"})
		asks := crowd(rt, rapid.Custom(func(rt *rapid.T) visitor {
			return visitor{
				time.Duration(2*rapid.IntRange(0, pace).Draw(rt, "at")) * ms,
				time.Duration(2*rapid.SampledFrom([]int{2, 2, 2, 3, 9, 30}).Draw(rt, "after")+1) * ms,
				rapid.OneOf(rapid.Just("ok"), rapid.Just("ok"), bad).Draw(rt, "how"),
			}
		}), 200)
		slices.SortStableFunc(asks, func(a, b visitor) int { return cmp.Compare(a.at, b.at) })
		for i := range asks {
			asks[i].after += time.Duration(i) * time.Microsecond // no two end at once
		}

		loop := tooltest.New()
		a := syncx.NewAdaptive(p)
		s := syncx.Sync(a, step.New(func(as step.Scope, v visitor) step.Next[visitor] {
			return step.Wait(as, func(done step.Done[visitor]) {
				_, _ = loop.Deferred(v.after, func() {
					switch v.how {
					case "late":
						done.Fail(fault.Timeout)
					case "fails":
						done.Fail(fault.ConnectError)
					default:
						done.Succeed(v)
					}
				})
			})
		}))
		var got []string
		for i, v := range asks {
			in, s := v, step.Step[visitor, visitor](s)
			switch v.how {
			case "cancel":
				in.after = time.Hour
			case "limit":
				in.after = time.Hour
				s = flow.Timeout(v.after, s)
			}
			_, _ = loop.Deferred(v.at, func() {
				run := flow.Start(context.Background(), loop, s, in)
				if v.how == "cancel" {
					_, _ = loop.Deferred(v.after, func() { run.Cancel(nil) })
				}
				run.Then(func(_ visitor, err error) {
					if fault.Is(err, fault.DefenseRejected) {
						got = append(got, fmt.Sprintf("%d:rejected", i))
						full++
						return
					}
					got = append(got, fmt.Sprintf("%d:%d", i, a.Capacity()))
				})
			})
		}
		loop.Run()
		if want := adaptiveSays(p, asks); !slices.Equal(got, want) {
			rt.Fatalf("%+v\nasks %v\n got %v\nwant %v", p, asks, got, want)
		}
		if a.Inside() != 0 {
			rt.Errorf("%d inside", a.Inside())
		}
		if a.Capacity() > p.Start {
			rose++
		}
		if a.Capacity() < p.Start {
			fell++
		}
	})
	if rose == 0 || fell == 0 || full == 0 {
		t.Errorf("%d limits rose, %d fell, %d sections were rejected", rose, fell, full)
	}
}
