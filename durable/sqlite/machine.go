package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/tool"
)

// machine executes the plan of a run. What it does depends only on the events that it is given: it reads no clock, and nothing of
// the file but what planned returns. One goroutine uses it at a time.
type machine struct {
	d      *engine.Definition
	id     string
	body   *tool.Body // the plan of d, or a named flow.Call of it
	report func(error)

	loop  *tool.Manual
	began time.Time
	at    time.Duration // the loop's clock: the time of the last event

	generation int
	events     int // how many events were applied since this beginning
	bytes      int // the length of the data of these events
	calls      engine.Counter
	works      map[string]*work // the works without a result, by their keys
	fresh      []*work          // works that were made since run.settle was last called, in their order
	boxes      []*box
	signals    engine.Kept[string, signal]
	stands     *engine.Stands                                         // the steps that wait; made anew with each beginning
	patches    map[string]bool                                        // names of the patches of the plan with which the events are applied
	former     map[string]bool                                        // the decisions of Before, by the names of patches
	shown      string                                                 // the value of the search attribute
	planned    func(plan string) (patches map[string]bool, err error) // returns the names of the patches of a plan, by its number

	apart     bool // turns have goroutines of their own, because a step of the run ends its goroutine
	cancel    func(cause error) bool
	cancelled bool
	over      bool
	out       reflect.Value
	err       error
	fatal     error // why the run can't go on with this program
}

// work is a call of a body, or a run of a flow.Call, that a step waits for.
type work struct {
	tool.Work

	key     string
	since   time.Duration
	left    bool              // the step doesn't wait for the work any more, or isn't one of the run's plan
	stopped error             // the reason, if the step was left before the result came
	stop    func(cause error) // cancels the run of a flow.Call, or fails the step of a body that waits for a limit; nil otherwise
	quit    func()            // ends the context of a body when the run leaves memory; nil until the body is called
	done    bool
}

// box is a step that waits for a signal.
type box struct {
	name string
	typ  reflect.Type
	give func(reflect.Value)
	gone bool
}

func newMachine(d *engine.Definition, id string, body *tool.Body) *machine {
	return &machine{d: d, id: id, body: body, stands: new(engine.Stands)}
}

func (m *machine) open(at time.Time) {
	m.began, m.at = at, 0
	m.events, m.bytes = 0, 0
	m.calls, m.works = make(engine.Counter), make(map[string]*work)
	m.fresh, m.boxes, m.former = nil, nil, make(map[string]bool)
	seed := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%d", m.id, at.UnixNano(), m.generation))
	random := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(seed[:]), binary.LittleEndian.Uint64(seed[8:])))
	m.loop = tool.NewManual(tool.Options{Burst: engine.Burst, Grace: m.d.Grace, OnError: func(err error) { m.report(err) }, Host: []tool.HostOption{
		tool.WithClock(func() time.Duration { return m.at }), tool.WithStart(m.began), tool.WithRand(random.Uint64),
		tool.WithWork(m.take), tool.WithDeterministic(),
	}})
	m.stands = &engine.Stands{Host: m.loop.Host(), Works: m}
}

// apply gives e to the run, and executes the run until it waits for the next event. After the end of the run, or with fatal set, it
// does nothing.
func (m *machine) apply(e event) {
	if m.fatal != nil || m.over {
		return
	}
	if m.fatal = m.misplaced(e.kind); m.fatal != nil {
		return
	}
	if m.loop != nil {
		m.at = max(m.at, e.time().Sub(m.began))
	}
	m.events++
	m.bytes += len(e.data)
	switch e.kind { //nolint:exhaustive // fired only moves the clock; misplaced refuses the others
	case started:
		m.adopt(e.name)
		m.begin(e.time(), e.data)
	case anew:
		var b beginning
		if m.fatal = json.Unmarshal(e.data, &b); m.fatal == nil {
			m.generation = b.Generation
			for _, s := range b.Signals {
				m.signals.Add(s.Name, s)
			}
			m.adopt(e.name)
			m.begin(e.time(), b.In)
		}
	case adopted:
		m.adopt(e.name)
	case completed, failed:
		m.complete(e)
	case signalled:
		m.signals.Add(e.name, signal{e.name, e.data})
	case cancelled:
		if !m.cancelled {
			m.cancelled = true
			m.cancel(engine.ErrCancelled)
		}
	}
	m.drive()
}

// misplaced returns why an event of kind k can't be the next one of the history; nil if it can.
func (m *machine) misplaced(k kind) error {
	switch first := k == started || k == anew; {
	case first == (m.loop == nil) && k < succeeded && k > 0:
		return nil
	case k < started || k > broken:
		return fault.New(fault.InvalidRequest, fmt.Sprintf("the history has an event of the kind %d, which this program doesn't know", k))
	case k == succeeded || k == broken:
		return fault.New(fault.InvalidRequest, "the history has the end of the run, which lives")
	case first:
		return fault.New(fault.InvalidRequest, "the history has a second start")
	default:
		return errNoStart
	}
}

var errNoStart = fault.New(fault.InvalidRequest, "the history doesn't begin with a start")

// begin begins the run, for the first time or anew.
func (m *machine) begin(at time.Time, input []byte) {
	if m.fatal != nil {
		return
	}
	in, err := decode(input, m.body.In)
	if err != nil {
		m.fatal = fmt.Errorf("the input: %w", err)
		return
	}
	m.open(at)
	ctx := observe.With(engine.With(context.Background(), m), m.stands)
	cancel := m.body.Start(ctx, m.loop, in, func(out reflect.Value, err error) { m.out, m.err, m.over = out, err, true })
	m.cancel = cancel
}

// adopt sets m.patches for the plan with the given number, with which the events that follow are applied.
func (m *machine) adopt(plan string) {
	var err error
	if m.patches, err = m.planned(plan); err != nil {
		m.fatal = err
	}
}

func (m *machine) complete(e event) {
	w := m.works[e.name]
	if w == nil && engine.GenerationOf(e.name) < m.generation {
		return // the result of a call that was made before the run began anew
	}
	if w == nil {
		m.fatal = fmt.Errorf("the history has a result of the call %s%s, which the plan doesn't make here: the plan isn't deterministic, or has changed", m.id, e.name)
		return
	}
	delete(m.works, e.name)
	w.done = true
	if e.kind == failed {
		err := decodeError(m.d, e.data)
		m.queue(func() { w.Done(reflect.Value{}, err) })
		return
	}
	out, err := decode(e.data, w.Body.Out)
	if err != nil {
		m.fatal = fmt.Errorf("the result of the call %s%s: %w", m.id, e.name, err)
		return
	}
	m.queue(func() { w.Done(out, nil) })
}

func (m *machine) queue(fn func()) {
	if _, err := m.loop.Immediate(fn); err != nil {
		m.fatal = err
	}
}

// drive runs turns of the loop until the run waits for an event.
func (m *machine) drive() {
	for m.fatal == nil && !m.over {
		if m.turns(); m.over || m.hand() {
			continue
		}
		if wait, armed := m.loop.Next(); !armed || wait > 0 {
			return
		}
	}
}

// turns runs turns of the loop until nothing is queued.
func (m *machine) turns() {
	turns := func() error {
		for m.loop.Iterate() {
		}
		return nil
	}
	if !m.apart {
		_ = turns()
		return
	}
	for broken := engine.Shielded(turns); broken != nil; broken = engine.Shielded(turns) {
		if _, defect := errors.AsType[*fault.Panic](broken); defect {
			m.fatal = broken
			return
		}
	}
}

func (m *machine) next() (due time.Time, ok bool) {
	wait, armed := m.loop.Next()
	return m.began.Add(m.at + wait), armed
}

func (m *machine) take(w tool.Work) (stop func(cause error), taken bool) {
	if _, known := m.d.Bodies[w.Body]; !known {
		if w.Body.Start != nil {
			return nil, false // the machine executes the plan of the flow.Call itself
		}
		w.Done(reflect.Value{}, fault.New(fault.InternalError, "the step "+w.Kind+" that was built at "+w.Site().String()+
			" isn't part of the plan: name the plan that it is in with durable.Also"))
		return nil, true
	}
	pending := &work{Work: w, key: m.calls.Next(m.generation, w.Path, ""), since: m.at, left: engine.Apart(w.Context)}
	m.works[pending.key] = pending
	m.fresh = append(m.fresh, pending)
	return pending.halt, true
}

// halt is called when the step is left. The context of a body ends by itself.
func (w *work) halt(cause error) {
	if w.stopped = cause; w.stop != nil {
		w.stop(cause)
	}
}

// Each implements engine.Works.
func (m *machine) Each(yield func(path string, at engine.Stand)) {
	for _, w := range m.works {
		if !w.left {
			yield(w.Path, engine.Stand{Label: m.d.Label(w.Work), Since: w.since})
		}
	}
}

// Leave implements engine.Works.
func (m *machine) Leave(path string) {
	for _, w := range m.works {
		w.left = w.left || w.Path == path
	}
}

// Host implements engine.Run.
func (m *machine) Host() *tool.Host { return m.loop.Host() }

// Receive implements engine.Run.
func (m *machine) Receive(name string, typ reflect.Type, give func(reflect.Value)) (withdraw func()) {
	b := &box{name: name, typ: typ, give: give}
	m.boxes = append(m.boxes, b)
	return func() { b.gone = true }
}

// hand gives one signal to the first step that waits for it, and reports whether there was one. It is called when the loop has
// nothing else to do: if this signal makes the run leave another waiting step, that step must not receive a signal, which would be
// lost.
func (m *machine) hand() bool {
	m.boxes = slices.DeleteFunc(m.boxes, func(b *box) bool { return b.gone })
	for i := 0; i < len(m.boxes); i++ {
		b := m.boxes[i]
		s, ok := m.signals.Take(b.name)
		if !ok {
			continue
		}
		v, err := decode(s.Value, b.typ)
		if err != nil {
			m.report(fmt.Errorf("run %s: the signal %s is dropped: %w", m.id, s.Name, err))
			i-- // there may be another signal for b
			continue
		}
		m.boxes = slices.Delete(m.boxes, i, i+1)
		m.queue(func() { b.give(v) })
		return true
	}
	return false
}

// Before implements engine.Run. Its first answer for a patch is true if the plan that was named by the last event started, anew or
// adopted doesn't have the patch.
func (m *machine) Before(patch string) bool {
	before, decided := m.former[patch]
	if !decided {
		before = !m.patches[patch]
		m.former[patch] = before
	}
	return before
}

// Long implements engine.Run.
func (m *machine) Long() bool { return m.events >= engine.LongEvents || m.bytes >= engine.LongBytes }

// now returns the time of t by the loop's clock, or that of the last event if t is earlier.
func (m *machine) now(t time.Time) time.Duration { return max(m.at, t.Sub(m.began)) }

// chosen returns the plan with the versions of patches that the run executes. For a patch that the run hasn't come to, that is the
// present part.
func (m *machine) chosen() *flow.Tree {
	return engine.Resolved(m.d.Plans[""], func(patch string) engine.Version {
		if m.former[patch] {
			return engine.Former
		}
		return engine.Present
	})
}
