package tool_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

func TestLoopSurvivesGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var errs collector[error]
		var ran collector[string]
		l := tool.Start(tool.Options{OnError: errs.add})
		mustSchedule(t)(l.Immediate(func() { ran.add("exits"); runtime.Goexit() }))
		mustSchedule(t)(l.Immediate(func() { ran.add("next") }))
		mustSchedule(t)(l.Deferred(time.Second, func() {
			ran.add("timer")
			if !l.InLoop() {
				t.Error("not in the loop on its new goroutine")
			}
		}))
		time.Sleep(time.Second)
		synctest.Wait()
		wantOrder(t, ran.all(), "exits", "next", "timer")
		if got := errs.all(); len(got) != 1 || !errors.Is(got[0], tool.ErrGoexit) {
			t.Errorf("reported %v, want ErrGoexit", got)
		}
		if err := l.Shutdown(context.Background()); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
}

func TestLoopWakesForEarlierTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := tool.Start(tool.Options{})
		start := time.Now()
		var ran collector[time.Duration]
		note := func() { ran.add(time.Since(start)) }
		later := mustSchedule(t)(l.Deferred(time.Hour, note))
		synctest.Wait() // until the loop sleeps, for an hour
		mustSchedule(t)(l.Deferred(time.Minute, note))
		synctest.Wait()
		mustSchedule(t)(l.Deferred(time.Second, note))
		time.Sleep(2 * time.Second)
		mustSchedule(t)(l.Immediate(note))
		time.Sleep(2 * time.Minute)
		if !l.Cancel(later) {
			t.Error("cancel failed")
		}
		time.Sleep(2 * time.Hour)
		want := []time.Duration{time.Second, 2 * time.Second, time.Minute}
		if got := ran.all(); len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
			t.Errorf("ran at %v, want %v", got, want)
		}
		if err := l.Shutdown(context.Background()); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
}

// T1: with a burst of one, each turn is one immediate and one timer.
func TestT1Burst(t *testing.T) {
	now := time.Duration(0)
	host := tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration { return now }))
	m := tool.NewManualOn(host, 1)
	var ran collector[string]
	for _, name := range []string{"1", "2"} {
		mustSchedule(t)(m.Immediate(func() { ran.add("immediate " + name) }))
		mustSchedule(t)(m.Deferred(0, func() { ran.add("timer " + name) }))
	}
	for m.Iterate() {
	}
	wantOrder(t, ran.all(), "immediate 1", "timer 1", "immediate 2", "timer 2")
}

func TestT1AddedWorkWaitsForTheNextTurn(t *testing.T) {
	host := tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration { return 0 }))
	m := tool.NewManualOn(host, 0)
	var ran collector[string]
	add := func(by string) {
		ran.add(by)
		mustSchedule(t)(m.Immediate(func() { ran.add("immediate by " + by) }))
		mustSchedule(t)(m.Deferred(0, func() { ran.add("timer by " + by) }))
	}
	mustSchedule(t)(m.Immediate(func() { add("immediate") }))
	mustSchedule(t)(m.Deferred(0, func() { add("timer") }))
	m.Iterate()
	wantOrder(t, ran.all(), "immediate", "timer")
	m.Iterate()
	wantOrder(t, ran.all()[2:],
		"immediate by immediate", "immediate by timer", "timer by immediate", "timer by timer")
}

func TestT1TurnIsBounded(t *testing.T) {
	for _, c := range []struct{ burst, want int }{{0, 16}, {-1, 16}, {5, 5}} {
		m := tool.NewManual(tool.Options{Burst: c.burst})
		ran := 0
		for range 1000 {
			mustSchedule(t)(m.Immediate(func() { ran++ }))
		}
		if m.Iterate(); ran != c.want {
			t.Errorf("burst %d: %d callbacks in a turn, want %d", c.burst, ran, c.want)
		}
	}
}
