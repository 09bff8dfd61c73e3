package debug

import (
	"runtime/trace"
	"testing"
	"time"
)

// Many failures at once have one flight record: the next one is taken for a run that fails after flightPause.
func TestFlightPause(t *testing.T) {
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{})
	if err := recorder.Start(); err != nil {
		t.Skip("a trace is being taken already: ", err)
	}
	defer recorder.Stop()
	f := newFailures(recorder)
	var failed []*record
	fail := func(at time.Duration) {
		r := &record{}
		failed = append(failed, r)
		f.offer(r)
		f.take(at)
	}
	for i, tt := range []struct {
		at   time.Duration
		want bool
	}{
		{0, true},
		{0, false},
		{flightPause - 1, false},
		{flightPause, true},
		{flightPause + 1, false},
		{3 * flightPause, true},
	} {
		fail(tt.at)
		if got := failed[i].flight != nil; got != tt.want {
			t.Errorf("failure %d, at %v, has a record: %t, want %t", i, tt.at, got, tt.want)
		}
	}
	f.take(9 * flightPause) // no run has failed since the last record
	if failed[0].flight == nil || failed[4].flight != nil {
		t.Error("without a failure a record was taken, or dropped")
	}
	for n := range flightsKept {
		fail(time.Duration(10+n) * flightPause)
	}
	kept := 0
	for _, r := range failed {
		if r.flight != nil {
			kept++
		}
	}
	if kept != flightsKept || failed[5].flight != nil || failed[len(failed)-1].flight == nil {
		t.Errorf("%d records are kept, want the last %d", kept, flightsKept)
	}
}
