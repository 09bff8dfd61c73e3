package debug

import (
	"context"
	"errors"
	"runtime/trace"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// Options are the bounds of a [Handler], and what it allows. The zero Options is ready to use;
// for numbers, zero or less stands for the default.
type Options struct {
	// Live is how many live runs are listed at most. Further runs are only counted, until they
	// end. The default is 10,000.
	Live int

	// Ended is how many of the latest runs that failed are kept at any age, and how many of the latest that didn't. As many
	// again are kept of older runs that didn't fail, as a sample. The default is 50.
	Ended int

	// Failures is how many runs that failed are kept at most. Up to this number, all runs that failed in the last hour are
	// kept. The default is 1000.
	Failures int

	// Events is how many events of each listed run are kept: the last ones. The
	// default is 32.
	Events int

	// Spans is how many ended steps of each listed run are kept for its timeline: those
	// that ended last. The default is 64.
	Spans int

	// Clients is how many pages may have live updates at the same time. Requests for
	// more are answered by 503, and their pages stay as they are. A client that doesn't read an
	// update within ten seconds is disconnected. The default is 100.
	Clients int

	// Clock measures ages and waits: it returns the time since some fixed moment, and is called by any goroutine. On a loop in
	// virtual time set the clock of that loop, such as tooltest.Loop.Now. Nil is the real clock.
	Clock func() time.Duration

	// Control lets people cancel runs, take dumps, open and close breakers, set limits, and run jobs, by requests of pages of the
	// same origin and of clients that aren't browsers. With it, the Handler makes a context for each run. Without it, pages can
	// only be looked at.
	Control bool

	// Hosts are the names under which pages may be asked for, without a port, besides localhost, names that end in .localhost,
	// and IP addresses: "console.example.com", or ".example.com" for all names that end so. Requests with another Host are
	// refused, because the owner of another name can make that name resolve to this server, and make browsers ask for pages
	// under it. "*" allows every name: use it only behind something that authenticates requests.
	Hosts []string

	// Flight, if not nil, records what the process did before a run failed, see
	// [Handler.Run]. Start it, and stop it when the Handler isn't used any more.
	Flight *trace.FlightRecorder
}

func (o Options) withDefaults() Options {
	o.Live = orDefault(o.Live, 10_000)
	o.Ended = orDefault(o.Ended, 50)
	o.Failures = max(orDefault(o.Failures, 1000), 1)
	o.Events = orDefault(o.Events, 32)
	o.Spans = orDefault(o.Spans, 64)
	o.Clients = orDefault(o.Clients, 100)
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

// Handler knows the live runs, and serves the pages about them. Make one with
// [New]. Any goroutine may call its methods.
type Handler struct {
	book    *book
	feed    *feed
	outline outlines
	clock   *tool.Host // in real time, for the deadlines of connections
	closing chan struct{}
	named   atomic.Int64 // number of guards that were ever shown
	close   sync.Once

	mu         sync.Mutex
	guards     []*guard
	loops      []*loop
	tables     []jobTable
	durables   []durableSource
	watching   int // how many live updates and calls of Run need the histories
	sampled    bool
	lastSample time.Duration
}

// New makes a Handler that knows of no runs yet.
func New(o Options) *Handler {
	o = o.withDefaults()
	b := newBook(o)
	b.failures = newFailures(o.Flight)
	return &Handler{book: b, feed: newFeed(), clock: tool.NewHost(tool.TurnLimits{}), closing: make(chan struct{})}
}

// Start implements observe.Observer: the run is listed until it has ended, and for a while after that. If Options.Live live runs
// are listed already, the run is only counted, and listed when it ends. With Options.Control a page of a listed run can cancel the
// context that Start returns.
func (h *Handler) Start(ctx context.Context, run observe.Run) (context.Context, observe.Watch) {
	if !h.book.options.Control {
		return ctx, h.book.open(run, nil)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, h.book.open(run, cancel)
}

var errByHand = errors.New("cancelled by hand, on a page of package debug")

// Close ends live updates and Run. The pages can still be loaded. http.Server.Shutdown waits for requests that haven't ended, such
// as live updates: register Close with http.Server.RegisterOnShutdown.
func (h *Handler) Close() { h.close.Do(func() { close(h.closing) }) }

var _ observe.Observer = (*Handler)(nil)

// Guard shows g under a name, in place of the guard that had the name. A nil g only removes that guard. Sections of g that
// listed runs begin from then on are listed as its holders, or in its queue.
//
// Methods Inside() int and Queued() int of g, which the guards of package syncx have, tell how many flows are inside and
// queued. If g lacks them, the listed sections are counted. A method Capacity() int tells how many g lets in. Pages call these
// methods, and State of a breaker; [Handler.Run] calls Inside and Queued. They must not block. Guard itself calls a method
// Err() error of g. If Err returns an error, pages show the error and call none of the other methods.
func (h *Handler) Guard(name string, g syncx.Guard) {
	var made *guard
	if g != nil {
		made = newGuard(name, int(h.named.Add(1)), g)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.guards = slices.DeleteFunc(h.guards, func(known *guard) bool { return known.name == name })
	if made != nil {
		h.guards = append(h.guards, made)
	}
	h.book.guards.Store(new(slices.Clone(h.guards)))
}

// Loop shows t under a name, in place of the loop that had the name. A nil t only removes that loop. For a tool.Group, show
// each of its Loops.
func (h *Handler) Loop(name string, t tool.Tool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.loops = slices.DeleteFunc(h.loops, func(known *loop) bool {
		if known.name == name {
			known.withdraw()
		}
		return known.name == name
	})
	if t != nil {
		h.loops = append(h.loops, &loop{name: name, Tool: t, history: ring[loopSample]{limit: maxSamples}})
	}
}

func (h *Handler) shown() (guards []*guard, loops []*loop) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.guards), slices.Clone(h.loops)
}
