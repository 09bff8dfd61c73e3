package tool_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// With the default clock a reading is converted to real time, also some time after NewHost.
func TestHostTimeIsReal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Hour)
		h := tool.NewHost(tool.TurnLimits{})
		made := time.Now()
		time.Sleep(time.Second)
		for _, at := range []time.Duration{0, time.Second, time.Minute, -time.Minute} {
			if got, want := h.Time(at), made.Add(at); !got.Equal(want) {
				t.Errorf("%v after the host was made: %v, want %v", at, got, want)
			}
		}
	})
}

// Times of a loop have a monotonic reading, like those of package time.
func TestHostTimeIsMonotonic(t *testing.T) {
	h := tool.NewHost(tool.TurnLimits{})
	before := time.Now()
	at := h.Time(h.Now())
	after := time.Now()
	if !strings.Contains(at.String(), " m=") {
		t.Error("no monotonic reading")
	}
	if at.Before(before) || at.After(after) {
		t.Errorf("%v isn't between %v and %v", at, before, after)
	}
}

func BenchmarkHostTime(b *testing.B) {
	h := tool.NewHost(tool.TurnLimits{})
	b.ReportAllocs()
	for b.Loop() {
		_ = h.Time(h.Now())
	}
}

// A clock that panics shows what it showed last. The first of several panics in a row is reported.
func TestClockThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var errs collector[string]
		var at time.Duration // below zero: the clock panics
		h := tool.NewHost(tool.TurnLimits{}, tool.WithOnError(func(err error) { errs.add(err.Error()) }), tool.WithClock(func() time.Duration {
			if at < 0 {
				panic("no time")
			}
			return at
		}))
		for _, c := range []struct {
			at, want time.Duration
			reported int
		}{{3, 3, 0}, {-1, 3, 1}, {-1, 3, 1}, {5, 5, 1}, {-1, 5, 2}} {
			at = c.at
			if got := h.Now(); got != c.want {
				t.Errorf("the clock shows %d, want %d", got, c.want)
			}
			synctest.Wait()
			if got := errs.all(); len(got) != c.reported {
				t.Errorf("at %d: reported are %q", c.at, got)
			}
		}
	})
}
