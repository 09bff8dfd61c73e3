package debug

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// Options are the bounds of a [Handler]. The zero Options is good; for numbers,
// zero or less stands for the default.
type Options struct {
	// Live is how many live runs are listed at most. Those that are started
	// beyond are only counted, until they end. The default is 1000.
	Live int

	// Ended is how many runs are kept after their end: that many that failed and
	// as many that did not, so that neither drives the other out. The default
	// is 50.
	Ended int

	// Events is how many events are kept of each listed run, the last ones. The
	// default is 32.
	Events int

	// Clock is what ages and waits are told by: the time since any moment, from
	// any goroutine. Give the clock of the loop where that is virtual, such as
	// tooltest.Loop.Now. Nil is the real clock.
	Clock func() time.Duration
}

func (o Options) withDefaults() Options {
	o.Live = orDefault(o.Live, 1000)
	o.Ended = orDefault(o.Ended, 50)
	o.Events = orDefault(o.Events, 32)
	if o.Clock == nil {
		o.Clock = tool.NewHost(tool.TurnLimits{}).Now
	}
	return o
}

func orDefault(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// Handler knows the live runs, and serves the pages about them. It is made by
// [New]. All methods may be called from any goroutine.
type Handler struct {
	book *book

	mu     sync.Mutex
	guards []guard
	loops  []loop
}

// New makes a Handler that knows of no runs yet.
func New(o Options) *Handler {
	return &Handler{book: newBook(o.withDefaults())}
}

// Start implements observe.Observer: the run is listed until it has ended, and
// for a while after that.
func (h *Handler) Start(ctx context.Context, run observe.Run) (context.Context, observe.Watch) {
	return ctx, h.book.open(run)
}

var _ observe.Observer = (*Handler)(nil)

// guard is a syncx.Guard under the name that pages show.
type guard struct {
	name string
	syncx.Guard
}

// loop is a tool.Tool under the name that pages show.
type loop struct {
	name string
	tool.Tool
}

// Guard shows g under a name. Steps that enter g from now on are listed as its
// holders, or in its queue. The number of both is that of g itself if g has the
// methods Inside() int and Queued() int, as the guards of package syncx have;
// otherwise it is how many are listed. A name that is given again is the new
// guard's; a nil g takes the name away.
func (h *Handler) Guard(name string, g syncx.Guard) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.guards = slices.DeleteFunc(h.guards, func(known guard) bool { return known.name == name })
	if g != nil {
		h.guards = append(h.guards, guard{name, g})
	}
	h.book.guards.Store(new(slices.Clone(h.guards)))
}

// Loop shows t under a name. A name that is given again is the new loop's; a nil
// t takes the name away. For a tool.Group, show each of its Loops.
func (h *Handler) Loop(name string, t tool.Tool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.loops = slices.DeleteFunc(h.loops, func(known loop) bool { return known.name == name })
	if t != nil {
		h.loops = append(h.loops, loop{name, t})
	}
}

// shown gives copies of what is shown.
func (h *Handler) shown() (guards []guard, loops []loop) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.guards), slices.Clone(h.loops)
}
