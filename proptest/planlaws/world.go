package planlaws

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// awaiting is the time from the beginning of a step.Await to its result, in which a cancel may come.
const awaiting = time.Millisecond

// World collects what the fakes of a plan report. A plan has one World for all its runs, which come one after another. Its
// methods are for code that these runs call, except Watch, which is called before the runs.
type World struct {
	fault   error // what a failing call returns, or panics with
	watches []watch

	// These fields belong to one run:
	loop     *tooltest.Loop
	fails    kind // failsCall, panicsCall, or a kind with which no call fails
	at       int  // the number of the call that fails, from 1
	calls    int
	failed   bool
	trace    []string
	held     map[string]int
	misuse   []string // releases without an acquire and, at the end, what is still held and watches that aren't 0
	late     []string // lines of the trace after the end
	ended    bool
	endedAt  time.Duration
	raised   int // number of events Raised
	observed []string
}

// watch is a count that must be 0 at the end of each run.
type watch struct {
	name  string
	count func() int
}

func (w *World) begin(loop *tooltest.Loop, c incident) {
	*w = World{fault: w.fault, watches: w.watches, loop: loop, fails: c.kind, at: c.at, held: map[string]int{}}
}

// Call reports that a fake is called. It returns nil, or the error with which the fake should fail; it may also panic,
// as a real service may. Call it before the fake has any effect.
func (w *World) Call(name string) error {
	w.calls++
	w.note("call " + name)
	if w.calls != w.at {
		return nil
	}
	switch w.fails {
	case failsCall:
		w.failed = true
		w.note("it fails")
		return w.fault
	case panicsCall:
		w.failed = true
		w.note("it panics")
		panic(w.fault)
	default:
		return nil
	}
}

// Acquire reports that the run holds one more of the resource called name, until [World.Release].
func (w *World) Acquire(name string) {
	w.note("acquire " + name)
	w.held[name]++
}

// Release reports that the run has given back one of the resource called name.
func (w *World) Release(name string) {
	w.note("release " + name)
	if w.held[name]--; w.held[name] < 0 {
		w.misuse = append(w.misuse, name+": released more often than acquired")
		w.held[name] = 0
	}
}

// Watch adds a count, which is called at the end of each run and must return 0 then, as a guard's Inside and Queued do. Call
// Watch when the plan is made.
func (w *World) Watch(name string, count func() int) {
	w.watches = append(w.watches, watch{name, count})
}

// Note adds a line to the trace of the run, which a failure shows. Runs that must do the same must have the same notes.
func (w *World) Note(line string) { w.note(line) }

func (w *World) note(line string) {
	line = fmt.Sprintf("%v %s", w.loop.Now(), line)
	w.trace = append(w.trace, line)
	if w.ended {
		w.late = append(w.late, line)
	}
}

func (w *World) end() {
	w.ended, w.endedAt = true, w.loop.Now()
	for _, name := range slices.Sorted(maps.Keys(w.held)) {
		if n := w.held[name]; n != 0 {
			w.misuse = append(w.misuse, fmt.Sprintf("%s: %d not released", name, n))
		}
	}
	for _, watched := range w.watches {
		if n := watched.count(); n != 0 {
			w.misuse = append(w.misuse, fmt.Sprintf("%s: %d at the end of the run", watched.name, n))
		}
	}
}

// take counts a step.Await as a Call. Unless that Call fails, it calls the step's function immediately. It delivers the result
// later.
func (w *World) take(work tool.Work) (stop func(cause error), taken bool) {
	if work.Body.Call == nil {
		return nil, false // a flow.Call
	}
	var out reflect.Value
	before := w.failed
	err := w.Call("await " + work.Path)
	if err == nil {
		out, err = work.Body.Call(work.Context, work.In)
	}
	deliver := func() { work.Done(out, err) }
	timer, _ := w.loop.Deferred(awaiting, deliver)
	failed := w.failed && !before
	return func(error) {
		w.loop.Cancel(timer)
		if failed {
			w.failed = false // the step is left, so its error needn't be raised
		}
		_, _ = w.loop.Immediate(deliver)
	}, true
}
