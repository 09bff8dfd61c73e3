package bench

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// Suspended: n flows at once add one, wait for a value from outside, and add one to it. An operation is the life of all n:
// started, suspended, completed, ended, and each result asked for.
//
// As B/flow it reports the heap and the stacks in use while all are suspended, without the slices that the benchmark itself
// keeps, divided by n. The flows of asyncsteps are runs of one plan of three steps on one loop, each with a handle; the others
// are goroutines, each with a channel to complete it.
func BenchmarkSuspended(b *testing.B) {
	for _, n := range crowds(b) {
		b.Run(fmt.Sprintf("col=asyncsteps/n=%d", n), func(b *testing.B) { lives(b, newRuns(n, 2, oneOfThree)) })
		b.Run(fmt.Sprintf("col=goroutine/n=%d", n), func(b *testing.B) { lives(b, newGoroutines(n)) })
	}
}

// crowd is many flows that live and wait at once.
type crowd interface {
	// suspend starts all flows, and returns when each waits or is about to.
	suspend()
	// finish completes all flows and adds up their results.
	finish() (total int, err error)
	size() int
	// each returns what one flow adds to the total.
	each() int
}

func lives(b *testing.B, c crowd) {
	b.Helper()
	n := c.size()
	before := inUse()
	c.suspend()
	bytes := inUse() - before
	report := processors(b)
	for b.Loop() { // the first time the flows are suspended before the clock starts
		if total, err := c.finish(); total != n*c.each() || err != nil {
			b.Fatal(total, err)
		}
		c.suspend()
	}
	report(n, "ns/flow")
	if _, err := c.finish(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(bytes)/float64(n), "B/flow")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/flow")
}

// inUse returns the live memory of the heap and the stacks.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // the second collection empties the pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

type runs struct {
	plan    number
	result  int // of each run
	loop    *tool.Manual
	running []*flow.Running[int]
	waiting []step.Done[int]
}

// newRuns returns a crowd of n runs of a plan, each with the given result. plan gets a step that waits, and whose result is then 1.
func newRuns(n, result int, plan func(wait number) number) *runs {
	r := &runs{
		result:  result,
		loop:    tool.NewManual(tool.Options{}),
		running: make([]*flow.Running[int], n),
		waiting: make([]step.Done[int], 0, n),
	}
	keep := func(done step.Done[int]) { r.waiting = append(r.waiting, done) }
	wait := step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait(as, keep) })
	r.plan = plan(wait)
	return r
}

// oneOfThree returns a plan of three steps, the second of which waits.
func oneOfThree(wait number) number { return flow.Then(flow.Then(inc, wait), inc) }

func (r *runs) size() int { return len(r.running) }

func (r *runs) each() int { return r.result }

func (r *runs) suspend() {
	r.waiting = r.waiting[:0]
	for i := range r.running {
		r.running[i] = flow.Start(background, r.loop, r.plan, 0)
	}
	for r.loop.Iterate() {
	}
}

func (r *runs) finish() (total int, err error) {
	for _, done := range r.waiting {
		done.Succeed(1)
	}
	for r.loop.Iterate() {
	}
	for i, one := range r.running {
		v, err := one.Result()
		if err != nil {
			return 0, err
		}
		total += v
		r.running[i] = nil
	}
	return total, nil
}

type goroutines struct {
	waiting []chan int
	results []int
	asleep  sync.WaitGroup
	ended   sync.WaitGroup
}

func newGoroutines(n int) *goroutines {
	return &goroutines{waiting: make([]chan int, n), results: make([]int, n)}
}

func (g *goroutines) size() int { return len(g.results) }

func (*goroutines) each() int { return 2 }

func (g *goroutines) suspend() {
	f := adds(1)[0]
	g.asleep.Add(g.size())
	for i := range g.results {
		completed := make(chan int)
		g.waiting[i] = completed
		g.ended.Go(func() {
			if _, err := f(0); err != nil {
				return
			}
			g.asleep.Done()
			g.results[i], _ = f(<-completed)
		})
	}
	g.asleep.Wait()
}

func (g *goroutines) finish() (total int, err error) {
	for _, completed := range g.waiting {
		completed <- 1
	}
	g.ended.Wait()
	return sum(g.results, nil)
}
