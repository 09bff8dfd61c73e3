package share

import (
	"strconv"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/clock"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// BatchPolicy tells a [Batch] how to collect keys. The zero policy collects the keys that are asked for in the same turn of
// the loop. A BatchPolicy is a value: [NewBatch] keeps a copy.
type BatchPolicy struct {
	// Window is how long keys are collected after the first one. With 0 the load begins once the loop of the first step that
	// asks has run the callbacks that were queued before the step asked.
	Window time.Duration
	// Most is the largest number of keys that are loaded together; the load begins as soon as there
	// are that many. 0 is no limit.
	Most int
}

// Answer is the result of a load of a [Batch] for one key: a value, or an error that goes only
// to the steps that have asked for this key.
type Answer[V any] struct {
	Value V
	Err   error
}

// Batch collects the keys that are asked for at about the same time, by any number of
// runs, and loads them together. Make one with [NewBatch], and plans that ask it with
// [Batch.Get].
//
// A Batch keeps no values: put its plan into a [Memo] for that. It is safe for
// concurrent use, by runs on any loops, which share their loads. It must not be copied.
type Batch[K comparable, V any] struct {
	policy BatchPolicy
	stage  *plan.Stage[[]K, []Answer[V]] // nil in the zero Batch
	bad    string

	mu   sync.Mutex
	next *batch[K, V] // the batch that collects keys now; nil if no key is waiting
}

type batch[K comparable, V any] struct {
	load[[]K, []Answer[V], V]
	batch *Batch[K, V]
	keys  []K       // in the order in which each was first asked for
	index map[K]int // position of each key in keys
	loop  tool.Tool // the loop that timer is on
	timer tool.Handle
}

// NewBatch makes a Batch whose loads are runs of stage. The input of a load has at least one key, and each key once, however
// many steps have asked for it. The result must have one answer for each key, in the order of the keys. For a Batch of
// writes, in which equal keys must not become one, let K be a pointer. If Window or Most is below zero, or stage is nil or
// can't be run, plans that ask the Batch can't be run, and flow.Plan.Err reports why.
//
//spec:ftn12 §1.3
func NewBatch[K comparable, V any](p BatchPolicy, stage step.Step[[]K, []Answer[V]]) *Batch[K, V] {
	load, bad := loads("Batch", stage)
	b := &Batch[K, V]{policy: p, stage: load, bad: bad}
	if bad := p.bad(); bad != "" {
		b.bad = "Batch: " + bad
	}
	return b
}

func (p *BatchPolicy) bad() string {
	switch {
	case p.Window < 0:
		return "Window is below zero: " + p.Window.String()
	case p.Most < 0:
		return "Most is below zero: " + strconv.Itoa(p.Most)
	default:
		return ""
	}
}

// Get returns a plan from a key to its value. The step waits until the keys are collected and
// their load has ended.
//
// The load is a run of its own, of the stage given to [NewBatch], on the loop of one of the steps that wait for
// it and with the values of the context of that step. The limits of the steps that wait don't apply to the
// load: put flow.Timeout into the stage. For guards see [Memo.Get].
//
// Errors: an error of the load, a panic included, fails all steps that wait for the load; the error
// of an [Answer] fails those that have asked for its key. A load that doesn't return one answer for
// each key fails them all with fault.InternalError. If a load would wait for itself, directly or
// through other loads, the step that asks fails with the code of syncx.Deadlock. Keys that can't be
// looked up fail the step as they do for [Memo.Get].
//
// Cancellation: a step that is cancelled, or whose limit passes, doesn't wait any more. The load
// goes on for the others, and still has the key of that step. When nobody waits any more the load is
// cancelled, and the step doesn't wait for its end; a load that hasn't begun doesn't begin.
//
// Concurrency: a step that waits takes no goroutine.
//
//spec:ftn12 §1.3
func (b *Batch[K, V]) Get() flow.Plan[K, V] {
	bad := "Batch: it was not made by NewBatch"
	if b != nil && b.stage != nil {
		bad = b.bad
	}
	s := op.Ask("batch", (*batchSource[K, V])(b))
	if b != nil {
		s.Node().Tell(b.policy.parameters)
	}
	return asks(s, bad)
}

func (p *BatchPolicy) parameters() []plan.Parameter {
	most := plan.Set("most", p.Most)
	if p.Most == 0 {
		most = plan.AtMost("most", -1)
	}
	return []plan.Parameter{plan.Set("window", p.Window), most}
}

// batchSource implements op.Giver.
type batchSource[K comparable, V any] Batch[K, V]

// Find finds nothing: a Batch keeps no values.
func (*batchSource[K, V]) Find(op.Spot, K) (v V, found bool, err error) { return v, false, nil }

func (s *batchSource[K, V]) Join(at op.Spot, a *asker[V], k K) (v V, found bool, err error) {
	b := (*Batch[K, V])(s)
	from := originOf(at)
	b.mu.Lock()
	c := b.next
	if c == nil {
		c = b.newBatch()
		if err := b.arm(c, from.loop); err != nil {
			b.mu.Unlock()
			return v, false, err
		}
		b.next = c
	}
	if !c.join(a, from) {
		b.mu.Unlock()
		return v, false, errCircle
	}
	a.at = c.add(k)
	var x *loadRun[[]K, []Answer[V], V]
	if b.policy.Most > 0 && len(c.keys) >= b.policy.Most {
		b.close(c)
		x = c.prepare()
	}
	b.mu.Unlock()
	if x != nil {
		c.begin(x, from, c.keys)
	}
	return v, false, nil
}

// leave removes a. It moves the timer if no other step waits on the timer's loop.
func (c *batch[K, V]) leave(a *asker[V]) {
	c.load.leave(a)
	c.batch.move(c)
}

func (b *Batch[K, V]) newBatch() *batch[K, V] {
	c := &batch[K, V]{batch: b, index: make(map[K]int)}
	c.owner, c.leaver, c.stage, c.mu = c, c, b.stage, &b.mu
	return c
}

// add adds k, unless it is there, and returns its position among the keys.
func (c *batch[K, V]) add(k K) int {
	at, known := c.index[k]
	if !known {
		at = len(c.keys)
		c.index[k] = at
		c.keys = append(c.keys, k)
	}
	return at
}

func (c *batch[K, V]) drop() { c.batch.close(c) }

func (c *batch[K, V]) judge(error) func(error) bool { return nil }

func (c *batch[K, V]) read(*tool.Host) (none clock.Reading) { return none }

func (c *batch[K, V]) finish(clock.Reading, []Answer[V], error) {}

// value returns the answer for c.keys[at].
func (c *batch[K, V]) value(all []Answer[V], at int) (V, error) {
	a := all[at]
	return a.Value, a.Err
}

func (c *batch[K, V]) check(all []Answer[V]) error {
	if len(all) == len(c.keys) {
		return nil
	}
	return fault.New(fault.InternalError,
		"Batch: the load has given "+strconv.Itoa(len(all))+" answers for "+strconv.Itoa(len(c.keys))+" keys")
}

// arm schedules the load of c on loop, for the end of the window or, without one, as an Immediate; mu is held.
func (b *Batch[K, V]) arm(c *batch[K, V], loop tool.Tool) (err error) {
	c.loop = loop
	if b.policy.Window > 0 {
		c.timer, err = loop.Deferred(b.policy.Window, func() { b.expire(c) })
	} else {
		c.timer, err = loop.Immediate(func() { b.expire(c) })
	}
	return err
}

// close makes c collect no more keys; mu is held.
func (b *Batch[K, V]) close(c *batch[K, V]) {
	if b.next == c {
		b.next = nil
		c.loop.Cancel(c.timer)
	}
}

func (b *Batch[K, V]) expire(c *batch[K, V]) {
	b.mu.Lock()
	first := c.askers.first
	if b.next != c || first == nil {
		b.mu.Unlock()
		return
	}
	b.close(c)
	x, from := c.prepare(), first.origin
	b.mu.Unlock()
	c.begin(x, from, c.keys)
}

// move moves the timer of c if no step waits on the timer's loop any more, because that loop may end. The new loop is one on
// which a step waits. The window begins anew.
func (b *Batch[K, V]) move(c *batch[K, V]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != c || c.askers.on(c.loop) {
		return
	}
	c.loop.Cancel(c.timer)
	for a := c.askers.first; a != nil; a = a.next {
		if b.arm(c, a.loop) == nil {
			return
		}
	}
}
