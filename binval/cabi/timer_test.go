//go:build cgo

package cabi_test

import (
	"math"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/binval/cabi/internal/mock"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// A foreign loop counts milliseconds in 32 bits, less than 50 days, and isn't asked for delays below 100 ms. Timers of this package last
// as long as asked, rounded up to a millisecond.
func TestForeignTimers(t *testing.T) {
	const day = 24 * time.Hour
	type empty = struct{}
	wait := func(d time.Duration) step.Step[empty, empty] { return step.Delay[empty](d) }
	recovered := func(s step.Step[empty, empty]) step.Step[empty, empty] {
		return flow.Catch(s, func(step.Scope, error) step.Next[empty] { return step.Succeed(empty{}) })
	}
	for _, c := range []struct {
		name string
		plan step.Step[empty, empty]
		want uint64 // the virtual time at the end, in milliseconds
	}{
		{"nothing", wait(0), 0},
		{"99 milliseconds and a part", wait(99*time.Millisecond + 1), 100},
		{"100 milliseconds and a part", wait(100*time.Millisecond + 1), 101},
		{"the longest of the foreign loop", wait((1<<32 - 1) * time.Millisecond), 1<<32 - 1},
		{"a little longer", wait((1<<32-1)*time.Millisecond + 1), 1 << 32},
		{"60 days", wait(60 * day), 60 * 86_400_000},
		{"a year", wait(365 * day), 365 * 86_400_000},
		{"the longest of Go", wait(math.MaxInt64), math.MaxInt64/1_000_000 + 1},
		{"a limit without end, done at once", flow.Timeout(math.MaxInt64, wait(0)), 0},
		{"a limit of 60 days", recovered(flow.Timeout(60*day, wait(math.MaxInt64))), 60 * 86_400_000},
		{"one of 60 days is cancelled after 50", recovered(flow.Timeout(50*day, wait(60*day))), 50 * 86_400_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := foreign(t)
			root := e.Root()
			as, err := cabi.Wrap(root)
			must(t, err)
			must(t, cabi.Add(as, &none, c.plan, &none))
			mock.Execute(root, 0, 0)
			e.Run()
			mock.Free(root)
			if got := e.Now(); got != c.want {
				t.Errorf("ended at %d ms, want %d", got, c.want)
			}
		})
	}
}
