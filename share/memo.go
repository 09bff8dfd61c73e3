package share

import (
	"container/list"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/clock"
	"github.com/futoin-go/asyncsteps/internal/mapkey"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// MemoPolicy bounds what a [Memo] keeps. The zero policy keeps nothing: the steps that ask while a load is under way share
// its value, and nobody else gets it. A MemoPolicy is a value: [NewMemo] keeps a copy.
type MemoPolicy struct {
	// Lifetime is the time that a value is kept after its load has ended. With 0 values aren't
	// kept; below zero they are kept until they are forgotten or dropped because of Size.
	Lifetime time.Duration
	// Size is the largest number of values that are kept; when there are more, the least recently used
	// one is dropped. 0 stands for 1000, below zero for any number: then values whose lifetime
	// is over are dropped whenever a step asks for a key that has no value.
	Size int
	// KeepErrors, if not nil, reports whether an error of a load is kept like a value. A panic, and
	// the end of the loop that the load runs on, are never kept. KeepErrors is called on a loop and must not block. If it panics the error
	// isn't kept, and the panic is reported to the loop's error handler.
	//
	//spec:rule E4
	KeepErrors func(err error) bool
}

const defaultSize = 1000

// confined is the reason why a step that shares work is bound to its process.
const confined = "what is shared lives in one process"

// Memo returns a value for each key, and loads the values that it hasn't kept: once for all steps that ask for a key at the
// same time. Make one with [NewMemo], and plans that ask it with [Memo.Get].
//
// A Memo is safe for concurrent use, by runs on any loops. Lifetimes are measured by the clocks of the loops on which loads
// and askers run: see step.Scope.Now. A Memo must not be copied.
type Memo[K comparable, V any] struct {
	policy MemoPolicy
	stage  *plan.Stage[K, V] // nil in the zero Memo
	bad    string

	mu      sync.Mutex
	kept    map[K]*list.Element   // of *kept
	recent  list.List             // of *kept: the most recently used one first; if Size is no bound, the newest one first
	times   clock.Axis            // of kept.since
	loading map[K]*memoLoad[K, V] // loads that are under way and may be joined
}

// kept is an entry of a Memo: the result of a load.
type kept[K comparable, V any] struct {
	key   K
	value V
	err   error
	since time.Duration // when the value was kept, by Memo.times; unused if values are kept for ever
}

type memoLoad[K comparable, V any] struct {
	load[K, V, V]
	memo      *Memo[K, V]
	key       K
	forgotten bool // Forget was called while the load was under way
}

// NewMemo makes a Memo. stage loads the values: its input is the key. If stage is nil or can't be
// run, plans that ask the Memo can't be run, and flow.Plan.Err reports why.
//
//spec:ftn12 §1.3
func NewMemo[K comparable, V any](p MemoPolicy, stage step.Step[K, V]) *Memo[K, V] {
	if p.Size == 0 {
		p.Size = defaultSize
	}
	load, bad := loads("Memo", stage)
	return &Memo[K, V]{
		policy: p, stage: load, bad: bad,
		kept: make(map[K]*list.Element), loading: make(map[K]*memoLoad[K, V]),
	}
}

// loads returns the stage of the loads of a Memo or Batch. bad is the reason why it can't be run, or "".
func loads[In, Out any](of string, stage step.Step[In, Out]) (load *plan.Stage[In, Out], bad string) {
	p := flow.Of(stage)
	if stage == nil {
		bad = of + ": the stage of the load is nil"
	} else if err := p.Err(); err != nil {
		bad = of + ": the load can't be run: " + err.Error()
	}
	return p.Stage(), bad
}

// Get returns a plan from a key to its value. If the value is kept, the step ends at once.
// Otherwise it waits for the load of that key, which begins if none is under way.
//
// The load is a run of its own, of the stage given to [NewMemo], on the loop of the step that
// has begun it and with the values of the context of that step. If that loop ends first, the load
// begins again on another loop on which a step waits; if there is none, the load fails. The limits
// of the steps that wait don't apply to the load: put flow.Timeout into the stage. To guards the
// load is a flow of its own: if it enters a mutex while a step that asks is inside, the two wait
// for each other, and that isn't found as a deadlock.
//
// Errors: an error of the load, a panic included, fails all steps that wait for the load, and isn't
// kept unless the policy says so; a panic never is. If a load would wait for itself, directly or
// through other loads, the step that asks fails with the code of syncx.Deadlock. A key that differs
// from itself, like NaN, fails the step with fault.InvalidRequest; one that can't be compared, such as
// a slice in an interface, is a panic of the step.
//
// Cancellation: a step that is cancelled, or whose limit passes, doesn't wait any more. The
// load goes on for the others. When nobody waits any more the load is cancelled, and the step doesn't
// wait for its end; the next step that asks begins another load.
//
// Concurrency: a step that waits takes no goroutine. Allocation: nothing if the value is kept.
//
//spec:ftn12 §1.3
func (m *Memo[K, V]) Get() flow.Plan[K, V] {
	bad := "Memo: it was not made by NewMemo"
	if m != nil && m.stage != nil {
		bad = m.bad
	}
	s := op.Ask("memo", (*memoSource[K, V])(m))
	if m != nil {
		s.Node().Tell(m.policy.parameters)
	}
	return asks(s, bad)
}

// asks returns the plan of s, which asks a Memo or a Batch. A non-empty bad is the reason why
// such a plan can't be run.
func asks[K, V any](s *plan.Stage[K, V], bad string) flow.Plan[K, V] {
	n := s.Node()
	n.Confined = confined
	if bad != "" {
		n.Reject(bad)
	}
	return flow.Of(s)
}

// memoSource implements op.Giver.
type memoSource[K comparable, V any] Memo[K, V]

func (s *memoSource[K, V]) Find(at op.Spot, k K) (v V, found bool, err error) {
	m := (*Memo[K, V])(s)
	now := m.policy.read(at.Clock())
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.find(k, now)
}

func (s *memoSource[K, V]) Join(at op.Spot, a *asker[V], k K) (v V, found bool, err error) {
	m := (*Memo[K, V])(s)
	from, now := originOf(at), m.policy.read(at.Clock())
	m.mu.Lock()
	if v, found, err = m.find(k, now); found { // a load on another loop has ended just now
		m.mu.Unlock()
		return v, found, err
	}
	l := m.loading[k]
	var x *loadRun[K, V, V]
	if l == nil {
		l = m.newLoad(k)
		m.loading[k] = l
		x = l.prepare()
	}
	joined := l.join(a, from)
	m.mu.Unlock()
	if !joined {
		return v, false, errCircle
	}
	if x != nil {
		l.begin(x, from, k)
	}
	return v, false, nil
}

func (p *MemoPolicy) parameters() []plan.Parameter {
	return []plan.Parameter{plan.AtMost("lifetime", p.Lifetime), plan.AtMost("size", p.Size)}
}

// read reads the clock of host if lifetimes are measured. The clock may be user code, so call read without a lock.
func (p *MemoPolicy) read(host *tool.Host) (now clock.Reading) {
	if p.Lifetime > 0 {
		now = clock.Read(host)
	}
	return now
}

// find returns the kept result for k; mu is held.
func (m *Memo[K, V]) find(k K, now clock.Reading) (v V, found bool, err error) {
	place := m.kept[k]
	if place == nil {
		m.expire(now)
		return v, false, nil
	}
	e := place.Value.(*kept[K, V])
	if m.expired(e, now) {
		m.discard(place)
		m.expire(now)
		return v, false, nil
	}
	if m.policy.Size > 0 { // otherwise recent stays in the order in which the values were kept
		m.recent.MoveToFront(place)
	}
	return e.value, true, e.err
}

// expired reports whether the lifetime of e is over; mu is held.
func (m *Memo[K, V]) expired(e *kept[K, V], now clock.Reading) bool {
	return m.policy.Lifetime > 0 && m.times.At(now)-e.since >= m.policy.Lifetime
}

// expire discards values whose lifetime is over, from the end of recent until it finds one whose lifetime
// isn't; mu is held.
func (m *Memo[K, V]) expire(now clock.Reading) {
	for at := m.recent.Back(); at != nil && m.expired(at.Value.(*kept[K, V]), now); at = m.recent.Back() {
		m.discard(at)
	}
}

func (m *Memo[K, V]) newLoad(k K) *memoLoad[K, V] {
	l := &memoLoad[K, V]{memo: m, key: k}
	l.owner, l.leaver, l.stage, l.mu = l, l, m.stage, &m.mu
	return l
}

func (l *memoLoad[K, V]) read(host *tool.Host) clock.Reading { return l.memo.policy.read(host) }

func (l *memoLoad[K, V]) finish(now clock.Reading, v V, err error) {
	if !l.forgotten {
		l.memo.keep(now, l.key, v, err)
	}
}

func (l *memoLoad[K, V]) check(V) error { return nil }

func (l *memoLoad[K, V]) drop() {
	if !l.forgotten {
		delete(l.memo.loading, l.key)
	}
}

func (l *memoLoad[K, V]) value(v V, _ int) (V, error) { return v, nil }

func (l *memoLoad[K, V]) judge(err error) func(error) bool {
	if _, panicked := fault.AsType[*fault.Panic](err); panicked {
		return nil
	}
	return l.memo.policy.KeepErrors
}

// keep stores a result; mu is held.
func (m *Memo[K, V]) keep(now clock.Reading, k K, v V, err error) {
	if m.policy.Lifetime == 0 {
		return
	}
	e := &kept[K, V]{key: k, value: v, err: err}
	if m.policy.Lifetime > 0 {
		e.since = m.times.At(now)
	}
	m.kept[k] = m.recent.PushFront(e)
	for m.policy.Size > 0 && len(m.kept) > m.policy.Size {
		m.discard(m.recent.Back())
	}
}

func (m *Memo[K, V]) discard(at *list.Element) {
	delete(m.kept, m.recent.Remove(at).(*kept[K, V]).key)
}

// Forget drops the kept value of k. If a load of k is under way, it goes on for the steps that
// wait for it, but its value isn't kept, and the next step that asks begins another load. A key
// that can't be looked up, see [Memo.Get], has no value: Forget does nothing. Any goroutine may
// call it.
func (m *Memo[K, V]) Forget(k K) {
	if !mapkey.Comparable(k) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := m.kept[k]; at != nil {
		m.discard(at)
	}
	if l := m.loading[k]; l != nil {
		l.forgotten = true
		delete(m.loading, k)
	}
}

// Len returns how many values are kept. A value whose lifetime is over counts until a step asks for a key
// that has no value, and with a bound by Size perhaps longer. Any goroutine may call it.
func (m *Memo[K, V]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.kept)
}
