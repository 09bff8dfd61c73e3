package laws_test

import (
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// guardSpec describes a guard of a program. A limiter uses all fields, the other kinds only some.
type guardSpec struct {
	kind   guardKind
	max    int           // inside at once
	queue  int           // largest number that wait for a place; below zero: no bound
	rate   int           // entries allowed in a period
	period time.Duration //
	burst  int           // largest number that wait for the next period; below zero: no bound
}

type guardKind uint8

const (
	gMutex guardKind = iota
	gThrottle
	gLimiter
)

// counts reports whether the guard bounds how many are inside.
func (g guardSpec) counts() bool { return g.kind != gThrottle }

// times reports whether the guard bounds how many enter in a period.
func (g guardSpec) times() bool { return g.kind != gMutex }

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
