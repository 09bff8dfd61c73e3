package explore

import (
	"container/heap"
	"slices"
)

// decision is a question of a trial with its answer.
type decision struct {
	order   []int // the answers, in the order in which they are tried
	at      int   // the index in order of the answer that was given
	matched int   // how many events had come as recorded before the question
	odd     int   // the sum of at over the earlier decisions
	lose    int   // the answers order[lose:] fail a call with an error that becomes a secondary one
}

// way is a trial to make: like an earlier trial up to one decision, where the way gives another answer.
type way struct {
	path []decision
	n    int  // the index of the decision in path
	at   int  // the index of the other answer in path[n].order
	lost bool // the earlier trial lacked only a secondary error
}

// worth returns how promising the way is: the number of events that come as recorded before its decision, less a penalty for each
// departure from the most probable answer. Ways that may bring a lacking secondary error are worth most.
func (w way) worth() int {
	d := &w.path[w.n]
	worth := d.matched - doubtful*(d.odd+w.at)
	if w.lost && w.at >= d.lose {
		worth += urgent
	}
	return worth
}

// urgent is larger than any worth that doesn't include it.
const urgent = 1 << 30

// open is a heap of the ways to be tried, the most promising one first.
type open []way

// Len, like the next four methods, implements heap.Interface.
func (o *open) Len() int { return len(*o) }

func (o *open) Less(i, j int) bool {
	a, b := (*o)[i], (*o)[j]
	if x, y := a.worth(), b.worth(); x != y {
		return x > y
	}
	return a.n > b.n
}

func (o *open) Swap(i, j int) { (*o)[i], (*o)[j] = (*o)[j], (*o)[i] }

func (o *open) Push(w any) { *o = append(*o, w.(way)) }

func (o *open) Pop() any {
	last := len(*o) - 1
	w := (*o)[last]
	*o = (*o)[:last]
	return w
}

// doubtful is the penalty for a departure from the most probable answer, in events.
const doubtful = 3

// decide answers a question. Over the trials it tries the answers in the given order. The answers order[lose:] fail a call with an
// error that becomes a secondary one.
func (g *guide) decide(order []int, lose int) int {
	i := g.asked
	g.asked++
	if i < g.given {
		return g.path[i].order[g.path[i].at]
	}
	if !g.halted() && !g.over() {
		odd := 0
		if i > 0 {
			odd = g.path[i-1].odd + g.path[i-1].at
		}
		g.path = append(g.path, decision{order, 0, g.matched, odd, lose})
	}
	return order[0]
}

// back prepares the next way to follow the incident, and reports whether there is one.
func (g *guide) back() bool {
	path, lost := g.path, g.off != nil && g.off.beside
	for n := g.given; n < len(path); n++ {
		if len(path[n].order) > 1 {
			heap.Push(&g.open, way{path, n, 1, false})
		}
		for at := path[n].lose; lost && at < len(path[n].order); at++ {
			heap.Push(&g.open, way{path, n, at, true})
		}
	}
	if len(g.open) == 0 {
		return false
	}
	w := heap.Pop(&g.open).(way)
	d := w.path[w.n]
	if !w.lost && w.at+1 < len(d.order) {
		heap.Push(&g.open, way{w.path, w.n, w.at + 1, false})
	}
	d.at = w.at
	g.path = append(slices.Clone(w.path[:w.n]), d)
	g.given = len(g.path)
	return true
}

func inOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// answer answers the questions of the loop and of the test.
func (g *guide) answer(q question) int {
	order := inOrder(q.n)
	if g.over() || g.halted() || q.of != callbacks {
		return g.decide(order, len(order))
	}
	slices.SortStableFunc(order, func(a, b int) int { return g.doubt(q.keys(a)) - g.doubt(q.keys(b)) })
	i := g.decide(order, len(order))
	g.key = q.keys(i)
	return i
}

// doubt returns how unlikely it is, from 0 to 2, that the callback with the given key brings the next event.
func (g *guide) doubt(key uint64) int {
	e, seen := g.first[key]
	switch {
	case !seen:
		return 1
	case g.wanted().is(e):
		return 0
	default:
		return 2
	}
}
