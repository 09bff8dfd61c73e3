package tool_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

type place string

func (p place) String() string { return string(p) }

func TestWatchdog(t *testing.T) {
	const after = time.Second
	for _, c := range []struct {
		reason   string
		callback func(at func(place))
		want     []string
	}{
		{"a short callback", func(func(place)) { time.Sleep(after / 2) }, nil},
		{
			"a callback that blocks, once however long", func(func(place)) { time.Sleep(10 * after) },
			[]string{"tool: a callback has blocked the loop for 1s"},
		},
		{
			"the step that blocks is named",
			func(at func(place)) { at("first"); time.Sleep(after / 2); at("second"); time.Sleep(3 * after) },
			[]string{"tool: step second has blocked the loop for 1s"},
		},
		{
			"short steps in a long callback",
			func(at func(place)) {
				for range 10 {
					at("short")
					time.Sleep(after / 2)
				}
			}, nil,
		},
		{
			"two that block",
			func(at func(place)) { at("first"); time.Sleep(3 * after); at("second"); time.Sleep(3 * after) },
			[]string{"tool: step first has blocked the loop for 1s", "tool: step second has blocked the loop for 1s"},
		},
	} {
		t.Run(c.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var stalls collector[string]
				l := tool.Start(tool.Options{Watchdog: tool.Watchdog{
					After:  after,
					Report: func(s tool.Stall) { stalls.add(s.Error()) },
				}})
				mustSchedule(t)(l.Immediate(func() {
					c.callback(func(p place) { l.Host().Turn().At(p) })
				}))
				if err := l.Shutdown(context.Background()); err != nil {
					t.Error(err)
				}
				wantOrder(t, stalls.all(), c.want...)
			})
		})
	}
}

// A function of WithAt is called, and the watchdog sees the steps as well.
func TestWatchdogBesideWithAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stalls, steps collector[string]
		l := tool.Start(tool.Options{
			Watchdog: tool.Watchdog{After: time.Second, Report: func(s tool.Stall) { stalls.add(s.Error()) }},
			Host:     []tool.HostOption{tool.WithAt(func(where fmt.Stringer) { steps.add(where.String()) })},
		})
		mustSchedule(t)(l.Immediate(func() {
			l.Host().Turn().At(place("first"))
			time.Sleep(2 * time.Second)
		}))
		if err := l.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		wantOrder(t, stalls.all(), "tool: step first has blocked the loop for 1s")
		wantOrder(t, steps.all(), "first")
	})
}

// Neither an idle loop nor a callback that has ended is reported.
func TestWatchdogOfAnIdleLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := tool.Start(tool.Options{Watchdog: tool.Watchdog{
			After:  time.Second,
			Report: func(s tool.Stall) { t.Errorf("reported %v", s) },
		}})
		mustSchedule(t)(l.Immediate(func() { l.Host().Turn().At(place("short")) }))
		time.Sleep(time.Minute)
		if err := l.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func TestWatchdogReportsToOnError(t *testing.T) {
	for reason, report := range map[string]func(tool.Stall){
		"no Report":       nil,
		"Report panicked": func(s tool.Stall) { panic(s) },
	} {
		t.Run(reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var errs collector[error]
				l := tool.Start(tool.Options{
					OnError:  errs.add,
					Watchdog: tool.Watchdog{After: time.Second, Report: report},
				})
				mustSchedule(t)(l.Immediate(func() { time.Sleep(time.Minute) }))
				if err := l.Shutdown(context.Background()); err != nil {
					t.Error(err)
				}
				var stall tool.Stall
				if got := errs.all(); len(got) != 1 || !errors.As(got[0], &stall) || stall.For != time.Second {
					t.Errorf("reported %v, want the stall", got)
				}
			})
		})
	}
}
