package prometheus

import (
	"slices"

	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

type gauged interface {
	syncx.Guard
	Inside() int
	Queued() int
	Err() error
}

type guard struct {
	name string
	gauged
}

// Guard registers g, a [syncx.Mutex], [syncx.Throttle], [syncx.Limiter] or another guard with these methods, under a
// name. It replaces the guard that had the name. If g is nil or isn't well formed, Guard only removes that guard.
func (c *Collector) Guard(name string, g interface {
	syncx.Guard
	Inside() int
	Queued() int
	Err() error
},
) {
	name = valid(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.guards = slices.DeleteFunc(c.guards, func(known guard) bool { return known.name == name })
	if g != nil && g.Err() == nil {
		c.guards = append(c.guards, guard{name, g})
	}
}

// guardOf returns the name of the guard that the step of e is a section of, or "" if the guard isn't registered.
func (c *Collector) guardOf(e observe.Event) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, g := range c.guards {
		if observe.IsSection[syncx.Guard](e, g.gauged) {
			return g.name
		}
	}
	return ""
}

// Loop registers t under a name. It replaces the loop that had the name. A nil t only removes that loop. For a
// [tool.Group], register each of its Loops.
func (c *Collector) Loop(name string, t tool.Tool) {
	name = valid(name)
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.loops, func(known *loop) bool { return known.name == name }); i >= 0 {
		c.loops[i].forget()
		c.loops = slices.Delete(c.loops, i, i+1)
	}
	if t != nil {
		c.loops = append(c.loops, &loop{name: name, Tool: t})
	}
}
