package timeline_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/timeline"
)

type event struct {
	Name  string            `json:"name"`
	Cat   string            `json:"cat"`
	Phase string            `json:"ph"`
	Time  *float64          `json:"ts"`
	PID   *uint64           `json:"pid"`
	TID   *int              `json:"tid"`
	ID    uint64            `json:"id"`
	Bind  string            `json:"bp"`
	Scope string            `json:"s"`
	Args  map[string]string `json:"args"`
}

// trace returns the events that WriteTrace writes. It fails the test if they aren't of the format.
func trace(t *testing.T, runs []observe.Recording) []event {
	t.Helper()
	var out bytes.Buffer
	if err := timeline.WriteTrace(&out, runs...); err != nil {
		t.Fatal(err)
	}
	var all struct {
		Unit   string  `json:"displayTimeUnit"`
		Events []event `json:"traceEvents"`
	}
	d := json.NewDecoder(&out)
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all.Events
}

// checkTrace checks the rules of the format: in each thread, slices nest and time doesn't go back; processes and threads are
// named before they are used; an arrow has two ends, each inside a slice.
func checkTrace(t *testing.T, events []event) {
	t.Helper()
	type thread struct {
		pid uint64
		tid int
	}
	open, last, named := map[thread]int{}, map[thread]float64{}, map[thread]bool{}
	arrows := map[uint64]string{}
	for i, e := range events {
		if e.Time == nil || e.PID == nil || e.TID == nil {
			t.Fatalf("event %d has no time or place: %+v", i, e)
		}
		at := thread{*e.PID, *e.TID}
		if e.Phase != "M" {
			if !named[at] || !named[thread{at.pid, 0}] {
				t.Errorf("event %d is of an unnamed thread: %+v", i, e)
			}
			if *e.Time < last[at] {
				t.Errorf("event %d goes back in time: %+v", i, e)
			}
			last[at] = *e.Time
		}
		switch e.Phase {
		case "M":
			named[at] = e.Args["name"] != ""
		case "B":
			open[at]++
		case "E":
			if open[at]--; open[at] < 0 {
				t.Errorf("event %d ends nothing", i)
			}
		case "i":
			if e.Scope != "t" || open[at] == 0 {
				t.Errorf("event %d is of no step: %+v", i, e)
			}
		case "s", "f":
			arrows[e.ID] += fmt.Sprint(e.Phase, e.Name, e.Cat, " ")
			if open[at] == 0 || e.Phase == "f" && e.Bind != "e" {
				t.Errorf("event %d is bound to no slice: %+v", i, e)
			}
		default:
			t.Errorf("event %d is unknown: %+v", i, e)
		}
	}
	for at, n := range open {
		if n != 0 {
			t.Errorf("%d slices of %v aren't ended", n, at)
		}
	}
	for id, ends := range arrows {
		if ends != "sstartsrun fstartsrun " {
			t.Errorf("arrow %d has the ends %q", id, ends)
		}
	}
}

func TestTraceFollowsTheFormat(t *testing.T) {
	runs := recordExample(t)
	events := trace(t, runs)
	checkTrace(t, events)
	arrows := 0
	for _, e := range events {
		if e.Phase == "s" {
			arrows++
		}
	}
	if arrows != 2 {
		t.Errorf("%d arrows, want one from each page to its mail", arrows)
	}
	checkTrace(t, trace(t, runs[3:])) // without the runs that started them
	checkTrace(t, trace(t, nil))
}

// Any beginning and any end of a recording gives well formed output.
func TestParts(t *testing.T) {
	whole := recordExample(t)
	for n := range len(whole[0].Entries) {
		runs := append([]observe.Recording(nil), whole...)
		runs[0].Entries = runs[0].Entries[:n] // as if the run still went on
		events := trace(t, runs[:1])
		checkTrace(t, events)
		_ = picture(t, runs[0])
		runs[0].Entries = whole[0].Entries[n:] // as if the first events were lost
		_ = picture(t, runs[0])
		open := 0
		for _, e := range trace(t, runs[:1]) {
			switch e.Phase {
			case "B":
				open++
			case "E":
				open--
			}
		}
		if open != 0 {
			t.Errorf("%d slices of %d events aren't ended", open, len(runs[0].Entries))
		}
	}
}

func TestTraceTimes(t *testing.T) {
	runs := recordExample(t)
	events := trace(t, runs)
	var page2 []float64
	for _, e := range events {
		if *e.PID == 2 && e.Cat == "run" {
			page2 = append(page2, *e.Time)
		}
	}
	if want := float64(10 * time.Millisecond / time.Microsecond); len(page2) == 0 || page2[0] != want {
		t.Errorf("the second page begins at %v µs, want %v", page2, want)
	}
}
