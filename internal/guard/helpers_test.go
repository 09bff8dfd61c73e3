package guard

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/seedtest"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) {
	seedtest.Fix()
	leaktest.Main(m)
}

type opFunc struct {
	frame.Leaf
	exec func(f *frame.Frame) frame.Verdict
}

func (o *opFunc) Exec(f *frame.Frame) frame.Verdict { return o.exec(f) }

// runOp runs body as the only step of a run, in virtual time.
func runOp(t *testing.T, body func(f *frame.Frame) frame.Verdict) error {
	t.Helper()
	loop := tooltest.New()
	run := startRun(t, loop, &opFunc{exec: body})
	loop.Run()
	if !run.HasEnded() {
		t.Fatal("the run hasn't ended")
	}
	return run.Result()
}

func startRun(t fataler, loop tool.Tool, ops ...frame.Op) *frame.Run {
	inst := new(frame.Activation)
	inst.Init(&frame.Level{Ops: ops}, nil)
	run := frame.NewRun(inst, &frame.Config{Context: context.Background(), Tool: loop})
	if err := run.Launch(); err != nil {
		t.Fatal(err)
	}
	return run
}

type fataler interface{ Fatal(args ...any) }

var errFirst = fault.New("First", "the first")

// lockGraph is the input of a detector: fibers that hold locks, wait for locks, and have branches. The fibers are those of
// runs that wait for ever.
type lockGraph struct {
	Detector
	t      fataler
	loop   *tooltest.Loop
	fibers []*actor
	locks  []*Lock
}

func newLockGraph(t fataler) *lockGraph { return &lockGraph{t: t, loop: tooltest.New()} }

type actor struct {
	locks  *Locks
	frame  *frame.Frame // of its step
	parent *actor       // the fiber of which it is a branch; nil for the main fiber of a run
	inner  []*actor
	races  bool // the branches are those of a race
}

func (a *actor) exec(f *frame.Frame) frame.Verdict {
	a.frame, a.locks = f, locksOf(f.Flow())
	if len(a.inner) == 0 {
		new(frame.Wait).Open(f)
		return frame.Waiting
	}
	k := &frame.Fork{Branches: make([]frame.Branch, len(a.inner))}
	if a.races {
		k.Wins, k.Losses = 1, len(a.inner)-1
	}
	for i, b := range a.inner {
		branch := new(frame.Frame)
		branch.Init(new(frame.Activation), &frame.Level{Ops: []frame.Op{&opFunc{exec: b.exec}}})
		k.Branches[i].Enter(branch)
	}
	return f.Fork(k)
}

// grow adds fibers. Each is a branch of the fiber with the number in parents, or the main fiber of a new run if that is
// negative. A fiber comes after its parent.
func (s *lockGraph) grow(parents ...int) []*actor {
	return s.growRaces(func(int) bool { return false }, parents...)
}

// growRaces is grow for fibers whose branches race if races says so.
func (s *lockGraph) growRaces(races func(i int) bool, parents ...int) []*actor {
	added := make([]*actor, len(parents))
	for i, p := range parents {
		added[i] = &actor{races: races(i)}
		if p >= 0 {
			added[i].parent = added[p]
			added[p].inner = append(added[p].inner, added[i])
		}
	}
	for _, a := range added {
		if a.parent == nil {
			startRun(s.t, s.loop, &opFunc{exec: a.exec})
		}
	}
	s.loop.Run()
	s.fibers = append(s.fibers, added...)
	return added
}

func (s *lockGraph) fiber() *actor { return s.grow(-1)[0] }

func (s *lockGraph) lock() *Lock {
	s.locks = append(s.locks, new(Lock))
	return s.locks[len(s.locks)-1]
}

func (s *lockGraph) enter(fiber *actor, l *Lock) {
	l.Holders.Push(&Ticket{frame: fiber.frame, locks: fiber.locks, lock: l, state: ticketInside})
}

// holder adds a fiber that is inside of a new lock.
func (s *lockGraph) holder() (*actor, *Lock) {
	fiber, l := s.fiber(), s.lock()
	s.enter(fiber, l)
	return fiber, l
}

func (s *lockGraph) enterHeavy(fiber *actor, l *Lock, weight int) {
	c := &Ticket{frame: fiber.frame, locks: fiber.locks, lock: l, state: ticketInside}
	c.Weigh(weight)
	l.Holders.Push(c)
}

// wait queues fiber for l, and reports whether it is stuck then.
func (s *lockGraph) wait(fiber *actor, l *Lock) (c *Ticket, stuck bool) {
	return s.waitHeavy(fiber, l, 1, 0)
}

// waitHeavy queues fiber for l with a weight and a rank, and reports whether it is stuck then.
func (s *lockGraph) waitHeavy(fiber *actor, l *Lock, weight int, rank int64) (c *Ticket, stuck bool) {
	c = &Ticket{frame: fiber.frame, locks: fiber.locks, lock: l, state: ticketAsking, Rank: rank}
	c.Weigh(weight)
	l.Queue.Insert(c)
	c.locks.block(c)
	return c, s.stuck(c.locks)
}
