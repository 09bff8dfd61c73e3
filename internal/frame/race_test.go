package frame

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// P6: once the last branch of a staggered race has begun, no timer is armed for another one.
func TestLastStaggeredBranchArmsNothing(t *testing.T) {
	for n := 1; n <= 3; n++ {
		inst, loop := new(Activation), tooltest.New()
		k := &Fork{Branches: make([]Branch, n)}
		k.Terms = Terms{Wins: 1, Losses: n - 1, Stagger: time.Second}
		began := 0
		for i := range n {
			k.Branches[i].Enter(level(inst, does(func(f *Frame) Verdict { began++; return wait(f) })))
		}
		run := launch(t, loop, inst, does(func(f *Frame) Verdict { return f.Fork(k) }))
		for i := range n {
			loop.Advance(0)
			armed := min(n-1-i, 1) // for the next branch, if there is one
			if began != i+1 || loop.Pending() != armed {
				t.Errorf("%d branches: %d have begun, %d timers; want %d and %d", n, began, loop.Pending(), i+1, armed)
			}
			loop.Advance(time.Second)
		}
		run.Cancel(nil)
		loop.Run()
		coded(t, run.Result(), fault.Cancelled)
	}
}
