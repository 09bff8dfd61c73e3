package laws_test

import (
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/stream"
)

// heardOf follows the elements of one drawn pipeline, from their sources to where somebody hears of them.
type heardOf struct {
	mu      sync.Mutex
	all     []*bead // made by sources; the others are reached from them
	skipped int     // how many elements Skip was told to drop
	asked   int     // elements that sources have made since one of them ended the run
	over    bool    // the run was ended by a source
	cancel  func()  // ends the run, by a cancel or a limit

	strangers int // elements whose steps have begun though they have no key

	ending  sync.Mutex // guards closers, which streams side by side add
	closers []func()
}

// atEnd registers f, to be called when the run and its loop have ended.
func (p *pipelines) atEnd(f func()) {
	p.ending.Lock()
	defer p.ending.Unlock()
	p.closers = append(p.closers, f)
}

// A bead is an element of a drawn pipeline: given by a source, or made by an operator. It must be heard of once: it passes
// the last stage, an operator drops it, or there is a letter for it. An element made of several accounts for these. An
// element of which several are made is heard of by all of them, or by a letter of its own.
type bead struct {
	in     *heardOf
	number int
	given  bool    // whether it was given, after it was made
	heard  int     // how often it has passed, was dropped or had a letter
	seen   int     // how often, by the sink
	passed bool    // whether it has passed the last stage
	into   *bead   // what was made of it and others
	of     []*bead // what it was made of
	split  bool    // others are made of it
	ended  bool    // all elements to be made of it were made
	made   []*bead // what was made of it
}

func (h *heardOf) make(given bool) *bead {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := &bead{in: h, number: len(h.all), given: given}
	h.all = append(h.all, e)
	if h.over {
		h.asked++
	}
	return e
}

func gathered(of []*bead) *bead {
	h := of[0].in
	h.mu.Lock()
	defer h.mu.Unlock()
	e := &bead{in: h, number: of[0].number, given: true, of: of}
	for _, part := range of {
		part.into = e
	}
	return e
}

func (e *bead) part(given bool) *bead {
	e.in.mu.Lock()
	defer e.in.mu.Unlock()
	p := &bead{in: e.in, number: e.number, given: given}
	e.split, e.made = true, append(e.made, p)
	return p
}

func (e *bead) note(change func(e *bead)) {
	e.in.mu.Lock()
	defer e.in.mu.Unlock()
	change(e)
}

func (e *bead) gives() *bead {
	e.note(func(e *bead) { e.given = true })
	return e
}

func (e *bead) hear() { e.note(func(e *bead) { e.heard++ }) }

func (e *bead) pass() *bead {
	e.note(func(e *bead) { e.heard, e.passed = e.heard+1, true })
	return e
}

func (e *bead) see() { e.note(func(e *bead) { e.seen++ }) }

// wrong returns what is wrong with e, or "". With most set, an element that e is a part of was heard of by itself, so e
// need not be.
func (e *bead) wrong(most bool) string {
	switch {
	case !e.given:
		if e.heard > 0 {
			return fmt.Sprintf("element %d was not given, and is heard of", e.number)
		}
		if !most {
			return fmt.Sprintf("a part of element %d was not given, and the element has no letter", e.number)
		}
	case e.into != nil:
		if e.heard > 0 {
			return fmt.Sprintf("element %d is a part of another one, and was heard of by itself", e.number)
		}
		return e.into.wrong(most)
	case e.heard > 1:
		return fmt.Sprintf("element %d was heard of %d times", e.number, e.heard)
	case e.split:
		if e.heard == 0 && !e.ended && !most {
			return fmt.Sprintf("element %d has no letter, and not all that is made of it was given", e.number)
		}
		for _, p := range e.made {
			if wrong := p.wrong(most || e.heard == 1); wrong != "" {
				return wrong
			}
		}
	case e.heard == 0 && !most:
		return fmt.Sprintf("element %d was not heard of", e.number)
	}
	return ""
}

// sinkWrong returns what is wrong with what the sink has seen, or "". all means that the sink succeeded without an early stop.
func (e *bead) sinkWrong(all bool) string {
	if e.seen > 1 || e.seen == 1 && !e.passed || e.seen == 0 && e.passed && all {
		return fmt.Sprintf("element %d has passed: %t, the sink has seen it %d times", e.number, e.passed, e.seen)
	}
	if e.into != nil {
		return e.into.sinkWrong(all)
	}
	for _, p := range e.made {
		if wrong := p.sinkWrong(all); wrong != "" {
			return wrong
		}
	}
	return ""
}

// take hears of the element of a letter that the Catch in front of the sink was given.
func (h *heardOf) take(err error) {
	if l, ok := fault.AsType[*stream.Letter[*bead]](err); ok {
		l.Element.hear()
	} else if l, ok := fault.AsType[*stream.Letter[[]*bead]](err); ok {
		for _, e := range l.Element {
			e.hear()
		}
	} else if l, ok := fault.AsType[*stream.Letter[flow.Pair[*bead, *bead]]](err); ok {
		l.Element.A.hear()
		l.Element.B.hear()
	} else if l, ok := fault.AsType[*stream.Letter[flow.Pair[time.Time, *bead]]](err); ok {
		l.Element.B.hear()
	} else if l, ok := fault.AsType[*stream.Letter[string]](err); ok {
		h.named(l.Element).gives().hear()
	}
}

func (h *heardOf) named(text string) *bead {
	h.mu.Lock()
	defer h.mu.Unlock()
	n, _ := strconv.Atoi(text)
	return h.all[n]
}

// An accident happens at one call of a function.
type accident struct {
	mu   sync.Mutex
	left int // calls before it; below 0 it never happens
	how  int
}

var errAccident = fault.New("Accident", "an accident")

func (a *accident) fail() error {
	a.mu.Lock()
	a.left--
	now := a.left == -1
	a.mu.Unlock()
	switch {
	case !now:
		return nil
	case a.how == 1:
		panic(errAccident)
	case a.how == 2:
		runtime.Goexit()
	}
	return errAccident
}

func (a *accident) must() {
	if err := a.fail(); err != nil {
		panic(err)
	}
}
