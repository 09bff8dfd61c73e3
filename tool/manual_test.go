package tool_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

func TestManualNext(t *testing.T) {
	now := time.Duration(0)
	m := tool.NewManualOn(tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration { return now })), 0)
	want := func(reason string, wantD time.Duration, wantOK bool) {
		t.Helper()
		if d, ok := m.Next(); d != wantD || ok != wantOK {
			t.Errorf("%s: Next() = %v, %v; want %v, %v", reason, d, ok, wantD, wantOK)
		}
	}
	want("empty", 0, false)
	timer := mustSchedule(t)(m.Deferred(10, func() {}))
	want("a timer", 10, true)
	immediate := mustSchedule(t)(m.Immediate(func() {}))
	want("an immediate", 0, true)
	m.Cancel(immediate)
	now = 4
	want("some of the time has passed", 6, true)
	now = 12
	want("overdue", 0, true)
	m.Cancel(timer)
	want("empty again", 0, false)
}

func TestManualIterate(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	if m.Iterate() {
		t.Error("worked with nothing queued")
	}
	nested := true
	mustSchedule(t)(m.Immediate(func() { nested = m.Iterate() }))
	mustSchedule(t)(m.Immediate(func() {}))
	if !m.Iterate() {
		t.Error("didn't work")
	}
	if nested {
		t.Error("a callback could drive its own loop")
	}
}

func TestManualIterateAfterNothing(t *testing.T) {
	for name, queue := range map[string]func(m *tool.Manual){
		"an immediate": func(m *tool.Manual) { mustSchedule(t)(m.Immediate(func() {})) },
		"a timer":      func(m *tool.Manual) { mustSchedule(t)(m.Deferred(0, func() {})) },
		"one burst and more": func(m *tool.Manual) {
			mustSchedule(t)(m.Immediate(func() {}))
			mustSchedule(t)(m.Immediate(func() {}))
			m.Iterate()
		},
		"from a callback": func(m *tool.Manual) {
			mustSchedule(t)(m.Immediate(func() { mustSchedule(t)(m.Immediate(func() {})) }))
			m.Iterate()
		},
		"after a Goexit": func(m *tool.Manual) {
			mustSchedule(t)(m.Immediate(runtime.Goexit))
			mustSchedule(t)(m.Deferred(0, func() {}))
			var other sync.WaitGroup
			other.Go(func() { m.Iterate() })
			other.Wait()
		},
	} {
		m := tool.NewManual(tool.Options{Burst: 1})
		for range 2 {
			if m.Iterate() {
				t.Errorf("%s: worked with nothing queued", name)
			}
		}
		if queue(m); !m.Iterate() || m.Iterate() {
			t.Errorf("%s: didn't work once", name)
		}
	}
}

func TestManualSurvivesGoexit(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	ran := false
	mustSchedule(t)(m.Immediate(runtime.Goexit))
	mustSchedule(t)(m.Immediate(func() { ran = true }))
	var other sync.WaitGroup
	other.Go(func() { m.Iterate() })
	other.Wait()
	if !m.Iterate() || !ran {
		t.Error("the loop is stuck")
	}
}

func TestManualWake(t *testing.T) {
	nothing := func() {}
	now := time.Duration(0)
	for _, c := range []struct {
		reason string
		before func(m *tool.Manual) // is followed by Next
		after  func(m *tool.Manual)
		want   bool
	}{
		{"an immediate", func(*tool.Manual) {}, func(m *tool.Manual) { mustSchedule(t)(m.Immediate(nothing)) }, true},
		{"a timer", func(*tool.Manual) {}, func(m *tool.Manual) { mustSchedule(t)(m.Deferred(time.Hour, nothing)) }, true},
		{
			"an earlier timer",
			func(m *tool.Manual) { mustSchedule(t)(m.Deferred(time.Hour, nothing)) },
			func(m *tool.Manual) { mustSchedule(t)(m.Deferred(time.Minute, nothing)) }, true,
		},
		{
			"a later timer",
			func(m *tool.Manual) { mustSchedule(t)(m.Deferred(time.Hour, nothing)) },
			func(m *tool.Manual) { mustSchedule(t)(m.Deferred(2*time.Hour, nothing)) }, false,
		},
		{
			"added by a callback: the next Next will tell",
			func(m *tool.Manual) { mustSchedule(t)(m.Deferred(1, func() { mustSchedule(t)(m.Immediate(nothing)) })) },
			func(m *tool.Manual) { now++; m.Iterate() }, false,
		},
		{
			"added by a callback that has asked Next itself",
			func(m *tool.Manual) {
				mustSchedule(t)(m.Immediate(func() { m.Next(); mustSchedule(t)(m.Immediate(nothing)) }))
			},
			func(m *tool.Manual) { m.Iterate() }, true,
		},
		{"shutdown", func(*tool.Manual) {}, func(m *tool.Manual) {
			if err := m.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
		}, true},
	} {
		m := tool.NewManualOn(tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration { return now })), 0)
		c.before(m)
		m.Next()
		c.after(m)
		got := false
		select {
		case <-m.Wake():
			got = true
		default:
		}
		if got != c.want {
			t.Errorf("%s: token %v, want %v", c.reason, got, c.want)
		}
	}
}

func TestManualInsideAnotherLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := tool.NewManual(tool.Options{})
		var ran collector[string]
		stop := make(chan struct{})
		go func() {
			time.Sleep(time.Second)
			mustSchedule(t)(m.Immediate(func() { ran.add("from elsewhere") }))
			time.Sleep(time.Second)
			mustSchedule(t)(m.Deferred(time.Second, func() { ran.add("deferred"); close(stop) }))
		}()
		for alarm := time.NewTimer(time.Hour); ; {
			for m.Iterate() {
			}
			var due <-chan time.Time
			if d, ok := m.Next(); ok {
				alarm.Reset(d)
				due = alarm.C
			}
			select {
			case <-m.Wake():
			case <-due:
			case <-stop:
				wantOrder(t, ran.all(), "from elsewhere", "deferred")
				return
			}
		}
	})
}

func TestManualWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := tool.NewManual(tool.Options{})
		start := time.Now()
		want := func(reason string, ctx context.Context, wantErr error, wantTime time.Duration) {
			t.Helper()
			if err := m.Wait(ctx); !errors.Is(err, wantErr) {
				t.Errorf("%s: error %v, want %v", reason, err, wantErr)
			}
			if passed := time.Since(start); passed != wantTime {
				t.Errorf("%s: at %v, want %v", reason, passed, wantTime)
			}
		}
		mustSchedule(t)(m.Immediate(func() {}))
		want("work", context.Background(), nil, 0)
		m.Iterate()
		mustSchedule(t)(m.Deferred(time.Minute, func() {}))
		want("timer", context.Background(), nil, time.Minute)
		m.Iterate()
		go func() {
			time.Sleep(time.Minute)
			mustSchedule(t)(m.Immediate(func() {}))
		}()
		want("from elsewhere", context.Background(), nil, 2*time.Minute)
		m.Iterate()
		cause := errors.New("cause")
		ctx, cancel := context.WithTimeoutCause(context.Background(), time.Minute, cause)
		defer cancel()
		want("context", ctx, cause, 3*time.Minute)
		want("context that has ended", ctx, cause, 3*time.Minute)
		if err := m.Shutdown(ctx); err != nil {
			t.Fatal(err)
		}
		want("shut down", context.Background(), tool.ErrShutdown, 3*time.Minute)
	})
}

func TestManualReset(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	var ran collector[string]
	mustSchedule(t)(m.Immediate(func() {
		if err := m.Reset(); !errors.Is(err, tool.ErrBusy) {
			t.Errorf("reset by a callback: %v", err)
		}
	}))
	m.Iterate()
	m.Next() // from here on, what is queued puts a token into Wake
	stale := []tool.Handle{
		mustSchedule(t)(m.Immediate(func() { ran.add("immediate of the former life") })),
		mustSchedule(t)(m.Deferred(0, func() { ran.add("timer of the former life") })),
	}
	registration := &tool.Registration{Stop: func(error) {}}
	if err := m.Host().Attach(registration); err != nil {
		t.Fatal(err)
	}
	if err := m.Reset(); !errors.Is(err, tool.ErrBusy) {
		t.Errorf("reset with a registration: %v", err)
	}
	m.Host().Detach(registration)
	if err := m.Reset(); err != nil {
		t.Errorf("reset: %v", err)
	}
	mustSchedule(t)(m.Immediate(func() { ran.add("new") }))
	for _, h := range stale {
		if m.Valid(h) || m.Cancel(h) {
			t.Errorf("handle %x of the former life is valid", h)
		}
	}
	select {
	case <-m.Wake():
		t.Error("a token of the former life")
	default:
	}
	for m.Iterate() {
	}
	wantOrder(t, ran.all(), "new")
	if err := m.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := m.Reset(); !errors.Is(err, tool.ErrShutdown) {
		t.Errorf("reset after shutdown: %v", err)
	}
}

// When a callback has shut the loop down, its call of Wait returns ErrShutdown. A call by another goroutine
// doesn't while the callback runs.
func TestManualWaitWhileACallbackEndsTheLoop(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	given, cancel := context.WithCancel(t.Context())
	cancel()
	mustSchedule(t)(m.Immediate(func() {
		if err := m.Shutdown(t.Context()); !errors.Is(err, tool.ErrInLoop) {
			t.Errorf("shutdown by a callback: %v", err)
		}
		var other sync.WaitGroup
		other.Go(func() {
			if err := m.Wait(given); !errors.Is(err, context.Canceled) {
				t.Errorf("elsewhere, while a callback runs: %v", err)
			}
		})
		other.Wait()
		if err := m.Wait(given); !errors.Is(err, tool.ErrShutdown) {
			t.Errorf("in the callback: %v", err)
		}
	}))
	m.Iterate()
}
