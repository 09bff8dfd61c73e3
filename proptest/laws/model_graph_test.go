package laws_test

import (
	"cmp"
	"math"
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
)

// numbered starts steps of f as branch i.
func (s *fiber) numbered(f *frame, i int, run func(b *fiber) result) {
	b := s.m.spawn(s, f, s.number(i), func(b *fiber) {
		b.index = i
		b.branch(func() result { return run(b) })
	})
	f.branches = append(f.branches, b)
	slices.SortStableFunc(f.branches, func(a, b *fiber) int { return cmp.Compare(a.index, b.index) })
}

// graph runs the nodes of f, each when the values that it takes are there (P7).
func (s *fiber) graph(f *frame, in int) result {
	kids := f.op.kids
	results := make([]*int, len(kids))
	begun := make([]bool, len(kids))
	takes := func(i int) (v int, ready bool) {
		for _, from := range f.op.n.edges[i] {
			switch {
			case from < 0:
				v += in
			case results[from] == nil:
				return 0, false
			default:
				v += *results[from]
			}
		}
		return v, true
	}
	look := func() {
		for i := range kids {
			if v, ready := takes(i); ready && !begun[i] {
				begun[i] = true
				s.numbered(f, i, func(b *fiber) result { return b.level(kids[i], v) })
			}
		}
	}
	f.follow = func(b *fiber) {
		results[b.index] = &b.out.value
		look()
	}
	look()
	return s.join(f, func() int { return *results[len(kids)-1] })
}

// crew is the state of a group of tasks (P8).
type crew struct {
	queue   []int // values of tasks that haven't begun
	added   int   // number of all tasks
	running int
	begin   func()
	values  []int // results, by number
	ended   []int // results, in the order in which tasks ended
}

// tells returns the function that makes a number of the results of Completed. The number depends on their order if tasks end at the
// moment of their last events. Otherwise it is their sum, because the order is open.
func tells(n *node) func([]int) int {
	if endShows(compile(n.kids[0])) {
		return weighed
	}
	return sum
}

func (s *fiber) tasks(f *frame, in int) result {
	n := f.op.n
	g := &crew{}
	f.crew = g
	if n.flav == tasksFirst {
		if n.n == 0 {
			if !s.silent() { // left before it has begun
				return result{how: dropped}
			}
			return failing(failure{code: fault.InvalidRequest, info: "Tasks " + tasksName(n.label) + ": there is no task to succeed"})
		}
		f.contest = &contest{f: f, wins: 1, losses: math.MaxInt, another: func() {}, more: func() bool {
			g.running--
			g.begin()
			return g.running > 0
		}}
	}
	ends := func(b *fiber) {
		for b.index >= len(g.values) {
			g.values = append(g.values, 0)
		}
		g.values[b.index] = b.out.value
		g.ended = append(g.ended, b.out.value)
	}
	g.begin = func() {
		for g.running < n.bound && len(g.queue) > 0 {
			v, i := g.queue[0], g.added-len(g.queue)
			g.queue = g.queue[1:]
			g.running++
			s.numbered(f, i, func(b *fiber) result { return b.contends(f.op.inner, v) })
		}
	}
	f.follow = func(b *fiber) {
		ends(b)
		g.running--
		g.begin()
	}
	for i := range n.n {
		g.add(in + i)
	}
	if f.contest == nil {
		return s.join(f, func() int {
			if n.flav == tasksCompleted {
				return tells(n)(g.ended)
			}
			return weighed(g.values)
		})
	}
	c := f.contest
	if !s.decided(f) {
		return result{how: dropped}
	}
	if f.broken != nil {
		return *f.broken
	}
	return result{value: c.won[0].out.value}
}

func (g *crew) add(v int) {
	g.queue = append(g.queue, v)
	g.added++
	g.begin()
}

func (s *fiber) groupAround(label int) *frame {
	around := s.frames[:len(s.frames)-1]
	for {
		for _, f := range slices.Backward(around) {
			if f.crew != nil && f.op.n.label == label && !f.handled {
				return f
			}
		}
		if s = s.parent; s == nil {
			return nil
		}
		around = s.frames
	}
}

func (s *fiber) addTask(b *body, v int) (wrong string) {
	f := s.groupAround(b.label)
	switch name := "adds a task to " + tasksName(b.label); {
	case f == nil:
		return name + ", but is no part of one"
	case f.left || f.broken != nil || f.s.killed != nil || f.s.frozen || f.contest != nil && f.contest.settled:
		return name + ", which is being left"
	default:
		f.crew.add(v)
		return ""
	}
}
