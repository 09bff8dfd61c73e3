package debug_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
)

// The steps that a Linger has left behind stay in the timeline when the run ends. They stand nowhere then.
func TestLeftBehind(t *testing.T) {
	h := newHarness(t, debug.Options{})
	slow := flow.Linger(time.Second, flow.Shield(plantest.Delay("slow", time.Minute)))
	start(h, flow.Grace(time.Hour, flow.First(slow, plantest.Delay("quick", time.Second))))
	shown := func() string {
		list := h.data("")
		v := h.data(fmt.Sprintf("run?id=%d", append(list.Live, list.Ended...)[0].ID))
		var all []string
		for _, s := range v.Spans {
			all = append(all, fmt.Sprintf("%s %v-%v %t %s", s.Label, s.From, s.To, s.Live, s.Code))
		}
		return fmt.Sprint(strings.Join(all, "\n"), "\nstands ", len(v.Stands))
	}
	h.loop.Advance(1500 * time.Millisecond)
	const before = "grace 0-1 false \nfirst 0-1 false \nlinger 0-1 false Cancelled\n"
	if got, want := shown(), before+"shield 0-1.5 true \nslow 0-1.5 true \nquick 0-1 false \nstands 1"; got != want {
		t.Errorf("while it lingers:\n%s\nwant\n%s", got, want)
	}
	h.loop.Advance(time.Second)
	if got, want := shown(), before+"shield 0-2 false Cancelled\nslow 0-2 false Cancelled\nquick 0-1 false \nstands 0"; got != want {
		t.Errorf("after the run:\n%s\nwant\n%s", got, want)
	}
	h.loop.Run()
}
