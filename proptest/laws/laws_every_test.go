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

// Law 77. The iterations of Every begin at multiples of the period: each at the first one after the iteration before.
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
		body := flow.Then(step.DelayBy(func(as step.Scope, i loopx.Iteration[int]) time.Duration {
			got = append(got, l.Now())
			return takes[i.Index]
		}), step.New(func(_ step.Scope, i loopx.Iteration[int]) step.Next[int] {
			if i.Index == len(takes)-1 {
				return loopx.Break[int]()
			}
			return step.Succeed(0)
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
