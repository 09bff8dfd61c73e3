package prometheus

import (
	"slices"

	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// gauged is what the guards of package syncx are.
type gauged interface {
	syncx.Guard
	Inside() int
	Queued() int
	Err() error
}

// guard is one that is shown, by its name.
type guard struct {
	name string
	gauged
}

// Guard shows g, a [syncx.Mutex], [syncx.Throttle], [syncx.Limiter] or another guard
// that can tell as much, under a name. A name that is given again is the new
// guard's; a nil g, and one that isn't well formed, takes the name away.
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

// guardOf is the name of the guard that the step of an event is a section of, ""
// if that isn't shown.
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

// Loop shows t under a name. A name that is given again is the new loop's; a nil
// t takes the name away. For a [tool.Group], show each of its Loops.
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
