package explore

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The estimate is near the number of schedules where that number is known.
func TestEstimate(t *testing.T) {
	wait := step.New(func(as step.Scope, in int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) {
			_, _ = as.Loop().Deferred(1, func() { done.Succeed(in) })
		})
	})
	for name, body := range map[string]Body{
		"plain":         func(*Trial) error { return nil },
		"seven at once": ready(7),
		"three runs": func(x *Trial) error {
			for i := range 3 {
				Start(context.Background(), x, wait, i)
			}
			return x.Run()
		},
		"three branches": func(x *Trial) error {
			Start(context.Background(), x, flow.Par(wait, wait, wait), 0)
			return x.Run()
		},
		"actions": func(x *Trial) error {
			var again func(n int)
			again = func(n int) {
				if n > 0 {
					_, _ = x.loop.Immediate(func() { again(n - 1) })
				}
			}
			again(20)
			return x.Run(Action{Name: "a", Do: func() {}}, Action{Name: "b", Do: func() {}}, Action{Name: "c", Do: func() {}})
		},
		"uneven": func(x *Trial) error { // half of those drawn have one answer, an eighth has a fourth one, of 100
			for range 3 {
				if x.Choose(2) == 0 {
					return nil
				}
			}
			x.Choose(100)
			return nil
		},
	} {
		want := All(Bounds{Schedules: 20_000}, body)
		if !want.Complete {
			t.Fatalf("%s: %+v", name, want)
		}
		var d draws
		var e estimate
		_ = body(newTrial(d.plain))
		for i := range 5000 {
			answer, total := d.counting(rand.New(rand.NewPCG(1, uint64(i))))
			_ = body(newTrial(answer))
			e.add(*total)
		}
		if got, n := e.mean(), float64(want.Schedules); got < 0.8*n || got > 1.25*n {
			t.Errorf("%s: about %v, and there are %v", name, got, n)
		}
	}
}

func ready(n int) Body {
	return func(x *Trial) error {
		for range n {
			_, _ = x.loop.Immediate(func() {})
		}
		return x.Run()
	}
}

func TestEstimateAsText(t *testing.T) {
	for total, want := range map[float64]string{
		1: "1", 6: "6", 99: "99", 123: "120", 5040: "5000", 999_999: "1000000", 12_345_678: "1.2e+07",
		math.Inf(1): "more than 1e+308",
	} {
		var e estimate
		e.add(total)
		if got := e.String(); got != want {
			t.Errorf("%v is %s, want %s", total, got, want)
		}
	}
}
