package stream

import (
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// Feed is the input of a branch of [Broadcast]: the elements of the stream. [Fed] reads it, once, and in a stream of that branch
// that runs on the loop of the Broadcast. A stream that reads the zero Feed fails.
type Feed[T any] struct{ f *feed[T] }

// Fed is the source of a branch of [Broadcast]: it gives the elements of its input, a [Feed]. A second stream that
// reads the feed fails with InvalidRequest, and so does one on another loop, as in a flow.On or a run of its own, and one that
// begins after the end of the branch.
func Fed[T any]() Stream[Feed[T], T] {
	return from("fed", "", func(e env, in Feed[T]) inlet[T] {
		switch {
		case in.f == nil:
			return &fails[T]{err: errNoFeed}
		case in.f.room.host != usercode.HostOf(e.p.loop): // first, because other loops must not read the fields below
			return &fails[T]{err: errFedElsewhere}
		case in.f.reader != nil:
			return &fails[T]{err: errFedTwice}
		case in.f.shut:
			return &fails[T]{err: errFedLate}
		}
		in.f.reader = e.p
		return &feeding[T]{env: e, feed: in.f}
	})
}

var (
	errNoFeed       = fault.New(fault.InvalidRequest, "the zero Feed has no elements")
	errFedElsewhere = fault.New(fault.InvalidRequest, "the Feed is of a Broadcast on another loop")
	errFedTwice     = fault.New(fault.InvalidRequest, "another stream has read the Feed: it can be read once")
	errFedLate      = fault.New(fault.InvalidRequest, "the branch that was given the Feed has ended")
)

// Broadcast is a sink: it gives each element to all branches, and returns their results by position. A branch
// is a plan whose input is a [Feed]. No branch gets more than buffer elements ahead of the slowest branch that hasn't
// ended. So a slow branch slows the others and the source.
//
//	stream.Broadcast2(rows, 100, stream.Write(stream.Map(stream.Fed[Row](), text), 100, file), stream.Fold(stream.Fed[Row](), newTotals, add))
//
// A branch that ends early gets no more elements; when all have ended the source is stopped. Errors, cancellation and
// concurrency are those of flow.Par: the first branch to fail ends the others. If there is no branch, a branch is nil, or
// buffer is below 1, the plan can't be run, which flow.Plan.Err reports.
func Broadcast[In, T, Out any](s Stream[In, T], buffer int, branches ...step.Step[Feed[T], Out]) flow.Plan[In, []Out] {
	all := make([]branch[T, []Out], len(branches))
	for i, b := range branches {
		all[i] = newBranch(b, func(results *[]Out, out Out) { (*results)[i] = out })
	}
	bad := ""
	if len(branches) == 0 {
		bad = "there is no branch"
	}
	return broadcast(s, buffer, bad, func() []Out { return make([]Out, len(branches)) }, all...)
}

// Broadcast2 is [Broadcast] for two branches with results of different types.
func Broadcast2[In, T, A, B any](
	s Stream[In, T], buffer int, a step.Step[Feed[T], A], b step.Step[Feed[T], B],
) flow.Plan[In, flow.Pair[A, B]] {
	return broadcast(s, buffer, "", func() (none flow.Pair[A, B]) { return none },
		newBranch(a, func(results *flow.Pair[A, B], out A) { results.A = out }),
		newBranch(b, func(results *flow.Pair[A, B], out B) { results.B = out }),
	)
}

type branch[T, R any] struct {
	node *plan.Node
	run  step.Step[*feeder[T, R], unit]
}

func newBranch[T, R, Out any](s step.Step[Feed[T], Out], put func(*R, Out)) branch[T, R] {
	stage := op.Given(s, "broadcast: a branch is nil")
	once := op.Loop[once[T, R, Out], *feeder[T, R], Feed[T], Out]("branch", stage, once[T, R, Out]{put: put})
	return branch[T, R]{stage.Node(), flow.Then(once, step.Map(func(Out) unit { return unit{} }))}
}

// once is the source of a loop that runs its body once.
type once[T, R, Out any] struct {
	put   func(*R, Out)
	f     *feeder[T, R]
	begun bool
}

// Inner makes break and continue act on loops around the stream.
func (*once[T, R, Out]) Inner() {}

func (o *once[T, R, Out]) Open(f *feeder[T, R]) (none Out) {
	o.f = f
	return none
}

func (o *once[T, R, Out]) Next(out Out, item *Feed[T]) bool {
	if o.begun {
		o.put(&o.f.hub.out, out)
		o.f.end()
		return false
	}
	o.begun, item.f = true, &o.f.feed
	return true
}

func broadcast[In, T, R any](
	s Stream[In, T], buffer int, bad string, start func() R, branches ...branch[T, R],
) flow.Plan[In, R] {
	nodes := make([]*plan.Node, len(branches))
	for i, b := range branches {
		nodes[i] = b.node
	}
	return sink("broadcast", s, first(bad, atLeast(1, buffer, "the buffer")), func(e env, up inlet[T], _ In) outlet[R] {
		h := &hub[T, R]{env: e, up: up, size: buffer, out: start(), feeders: make([]feeder[T, R], len(branches))}
		h.room.source, h.room.host = e.p, usercode.HostOf(e.p.loop)
		h.left = len(branches)
		for i := range h.feeders {
			h.feeders[i] = feeder[T, R]{hub: h, run: branches[i].run, feed: feed[T]{room: &h.room}}
			e.p.tasks = append(e.p.tasks, &h.feeders[i])
		}
		return h
	}, nodes...)
}

// hub gives the elements of the stream to the feeds.
type hub[T, R any] struct {
	env

	up      inlet[T]
	size    int
	feeders []feeder[T, R]
	left    int // branches that haven't ended
	room    room
	over    bool
	out     R
}

// room counts full feeds. The stream that is broadcast waits while there are any, and is woken when there are none.
type room struct {
	source *pipe      // the pipe of the stream that is broadcast
	host   *tool.Host // of the loop on which all of this is used
	full   int        // number of feeds that are full and not shut
}

type feeder[T, R any] struct {
	hub  *hub[T, R]
	run  step.Step[*feeder[T, R], unit]
	feed feed[T]
}

func (f *feeder[T, R]) begin(as step.Scope) step.Next[unit] { return step.Into(as, f.run, f) }

// end is called when the branch has its result.
func (f *feeder[T, R]) end() {
	f.feed.shut = true
	f.feed.drained()
	if f.hub.left--; f.hub.left == 0 {
		f.hub.p.wake()
	}
}

func (h *hub[T, R]) pump() error {
	if h.left == 0 {
		return errOver
	}
	if h.room.full > 0 || h.over {
		return errIdle
	}
	room, open := most, false
	for i := range h.feeders {
		if f := &h.feeders[i].feed; !f.shut {
			room, open = min(room, h.size-f.queue.len()), true
		}
	}
	if !open {
		return errIdle
	}
	chunk, err := h.up.poll(room)
	if err == errOver { //nolint:errorlint // it isn't wrapped
		h.over, err = true, nil
	}
	for i := range h.feeders {
		if f := &h.feeders[i].feed; !f.shut {
			f.queue.push(chunk...)
			f.given += len(chunk)
			if f.over = h.over; f.queue.len() == h.size {
				f.full = true
				h.room.full++
			}
			if f.reader != nil && (h.over || len(chunk) > 0) {
				f.reader.wake()
			}
		}
	}
	return err
}

func (h *hub[T, R]) result() R { return h.out }

// close reports as lost the elements that were put only into feeds that no stream has opened. Such a feed still has
// everything that was put into it. A stream that has opened its feed has reported already what it left there.
func (h *hub[T, R]) close(why error) {
	given := 0
	for i := range h.feeders {
		if f := &h.feeders[i].feed; f.reader != nil {
			given = max(given, f.given)
		}
	}
	for i := range h.feeders {
		f := &h.feeders[i].feed
		if f.reader == nil && f.given > given {
			lose(h.env, f.queue.rest()[given:], why)
			given = f.given
		}
		f.shut = true
	}
	h.up.close(why)
}

// feed holds the elements that a branch has not taken yet.
type feed[T any] struct {
	room   *room
	full   bool  // the feed is counted in room.full
	reader *pipe // pipe of the branch's stream; nil until that is opened
	queue  fifo[T]
	given  int  // number of elements that were ever put into queue
	over   bool // no more elements will come
	shut   bool // the branch takes no more elements
}

// drained is called when f isn't full any more, or is shut.
func (f *feed[T]) drained() {
	if !f.full {
		return
	}
	f.full = false
	if f.room.full--; f.room.full == 0 {
		f.room.source.wake()
	}
}

type feeding[T any] struct {
	env

	feed  *feed[T]
	chunk []T
}

func (s *feeding[T]) poll(room int) ([]T, error) {
	f := s.feed
	n := min(room, f.queue.len())
	if n == 0 && f.over {
		return nil, errOver
	}
	if n == 0 {
		return nil, errIdle
	}
	s.chunk = append(s.chunk[:0], f.queue.rest()[:n]...)
	f.queue.drop(n)
	s.taken(n)
	f.drained()
	return s.chunk, nil
}

// close reports as lost the elements that the branch was given and hasn't taken. From then on the feed accepts no
// elements and holds up no other branch.
func (s *feeding[T]) close(why error) {
	rest := s.feed.queue.rest()
	s.feed.queue, s.feed.shut = fifo[T]{}, true
	lose(s.env, rest, why)
	s.feed.drained()
}

func (s *feeding[T]) holds() int { return s.feed.queue.len() }
