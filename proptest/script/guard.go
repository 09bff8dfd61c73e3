package script

import (
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// Sync adds a step that is guarded by a synchronisation object.
type Sync struct {
	Obj  string `json:"obj"`
	Step *Step  `json:"step"`
}

func (a *Sync) check(k *checker) {
	k.within("sync", building)
	_, known := k.program.Sync[a.Obj]
	k.need(known, "no such sync object: "+a.Obj)
	k.step(a.Step)
}

// The handler of the step is only for errors of the section, so it is inside of the guard (G1).
func (a *Sync) run(c *call) { c.add(syncx.Sync(c.x.guards[a.Obj], c.x.step(a.Step, c.where))) }

// make makes the guard. An unlimited queue is null in programs and -1 in Go (G5). Programs may rely on a timeout to end a cycle of
// waits, so mutexes and limiters allow cycles.
func (g Guard) make() syncx.Guard {
	queue := -1
	if g.MaxQueue != nil {
		queue = *g.MaxQueue
	}
	switch g.Type {
	case "mutex":
		return syncx.NewMutex(g.Max, queue).AllowCycles()
	case "throttle":
		return syncx.NewThrottle(g.Max, time.Duration(g.Period)*Tick, queue)
	default:
		return syncx.NewLimiter(syncx.Limits{
			Concurrent: g.Concurrent,
			MaxQueue:   queue,
			Rate:       g.Rate,
			Period:     time.Duration(g.Period) * Tick,
			Burst:      g.Burst,
		}).AllowCycles()
	}
}
