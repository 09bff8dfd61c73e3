package laws_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Law 77. The iterations of Every begin at multiples of the period: each at the first one that the one before leaves free.
func TestEveryIsItsMultiples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		period := time.Duration(rapid.IntRange(1, 10).Draw(t, "period"))
		takes := make([]time.Duration, rapid.IntRange(1, 8).Draw(t, "iterations"))
		var want, got []time.Duration
		var now, tick time.Duration
		for i := range takes {
			takes[i] = time.Duration(rapid.IntRange(0, 30).Draw(t, "takes"))
			want = append(want, tick)
			now = tick + takes[i]
			for tick += period; tick < now; tick += period {
			}
		}
		l := tooltest.New()
		body := flow.Then(step.DelayBy(func(step.Scope, int) time.Duration {
			got = append(got, l.Now())
			return takes[len(got)-1]
		}), step.New(func(step.Scope, int) step.Next[step.Unit] {
			if len(got) == len(takes) {
				return loopx.Break[step.Unit]()
			}
			return step.Succeed(step.Unit{})
		}))
		run := flow.Start(t.Context(), l, loopx.Every(period, body), 0)
		l.Run()
		if _, err := run.Result(); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if len(got) != len(want) || got[i] != want[i] {
				t.Fatalf("began at %v, want %v", got, want)
			}
		}
	})
}
