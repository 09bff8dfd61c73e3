package laws_test

import (
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// guardSpec is a guard of a program. Which fields mean something depends on its
// kind: a limiter has them all.
type guardSpec struct {
	kind   guardKind
	max    int           // inside at once
	queue  int           // may wait for a place; below zero: any number
	rate   int           // entries in a period
	period time.Duration //
	burst  int           // may wait for the next period; below zero: any number
}

type guardKind uint8

const (
	gMutex guardKind = iota
	gThrottle
	gLimiter
)

// counts says whether the guard bounds how many are inside at once.
func (g guardSpec) counts() bool { return g.kind != gThrottle }

// times says whether the guard bounds how many enter in a period.
func (g guardSpec) times() bool { return g.kind != gMutex }

// gate is a guard that can be asked how full it is.
type gate interface {
	syncx.Guard
	Inside() int
	Queued() int
}

func (g guardSpec) build() gate {
	switch g.kind {
	case gThrottle:
		return syncx.NewThrottle(g.rate, g.period, g.burst)
	case gLimiter:
		return syncx.NewLimiter(syncx.Limits{Concurrent: g.max, MaxQueue: g.queue, Rate: g.rate, Period: g.period, Burst: g.burst})
	default:
		return syncx.NewMutex(g.max, g.queue)
	}
}

// String is how the guard is made.
func (g guardSpec) String() string {
	switch g.kind {
	case gThrottle:
		return fmt.Sprintf("syncx.NewThrottle(%d, %v, %d)", g.rate, g.period, g.burst)
	case gLimiter:
		return fmt.Sprintf("syncx.NewLimiter(syncx.Limits{Concurrent: %d, MaxQueue: %d, Rate: %d, Period: %v, Burst: %d})",
			g.max, g.queue, g.rate, g.period, g.burst)
	default:
		return fmt.Sprintf("syncx.NewMutex(%d, %d)", g.max, g.queue)
	}
}
