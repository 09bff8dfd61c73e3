package explore_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/proptest/explore"
)

// The report of a search is the same for any number of workers.
func TestCheckWorkers(t *testing.T) {
	for _, fails := range []bool{false, true} {
		report := func(workers int) string {
			r := &recorder{TB: t}
			explore.Check(r, explore.Bounds{Schedules: 300, Workers: workers}, func(x *explore.Trial) error {
				order := ""
				row(x, 12, func(i int) { order += fmt.Sprint(i, " ") })
				err := x.Run(explore.Action{Name: "a", Do: func() { order += "a " }}, explore.Action{Name: "b", Do: func() { order += "b " }})
				x.Note("%s", order)
				if fails && order == "0 1 2 b 3 4 5 6 a 7 8 9 10 11 " {
					return errThird
				}
				return err
			})
			return r.failed + r.logged
		}
		want := report(1)
		if strings.Contains(want, errThird.Error()) != fails {
			t.Errorf("one worker: %s", want)
		}
		for _, workers := range []int{2, 3, 8} {
			if got := report(workers); got != want {
				t.Errorf("%d workers: %s\nwant %s", workers, got, want)
			}
		}
	}
}

// The second and the third schedule run side by side on two workers.
func TestWorkersMeet(t *testing.T) {
	var begun atomic.Int32
	met := make(chan struct{})
	r := &recorder{TB: t}
	explore.Check(r, explore.Bounds{Schedules: 10, Workers: 2}, func(x *explore.Trial) error {
		row(x, 8, func(int) {})
		switch begun.Add(1) {
		case 2:
			select {
			case <-met:
			case <-time.After(time.Minute):
				return errThird
			}
		case 3:
			close(met)
		}
		return x.Run()
	})
	if r.failed != "" {
		t.Error("the second one didn't meet the third one")
	}
}
