package laws_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The algebraLaws compare two plans with the same meaning, made of the same parts with the same numbers, so that their traces can
// be compared line by line.

// algebraLaw makes two plans of the parts a, b and c. forget, if it isn't nil, selects events that aren't compared.
type algebraLaw struct {
	number int // in docs/internals/laws.md
	name   string
	left   func(a, b, c *node) *node
	right  func(a, b, c *node) *node
	forget func(e event) bool
	flat   bool // events may differ in the branch where they happen
	quiet  bool // the parts are drawn with the shape quiet, and untied
	when   func(right trace) bool
}

func chain(kids ...*node) *node     { return &node{kind: kChain, kids: kids} }
func around(k kind, a *node) *node  { return &node{kind: k, kids: []*node{a}} }
func identity() *node               { return chain() }
func caught(a *node, way way) *node { return &node{kind: kCatch, kids: []*node{a}, h: handlerOf(way)} }
func onlyA(a, _, _ *node) *node     { return a }
func succeeded(t trace) bool        { return t.end().code == "" }
func ended(t trace) bool {
	return !slices.ContainsFunc(t, func(e event) bool { return e.what == eCancel })
}
func isHandler(e event) bool { return e.what == eHandler && e.id == outerID }
func faulty() *node {
	return &node{kind: kFunc, body: &body{id: 1 << 20, way: fails, code: "Alpha"}}
}
func handlerOf(way way) *body { return &body{id: outerID, way: way, code: "Outer"} }
func isOuter(e event) bool    { return e.id == outerID }
func waiting(d time.Duration) *node {
	return &node{kind: kNew, body: &body{id: outerID, way: waits, wait: d}}
}

// outerID is the number of what a law adds to its parts.
const outerID = 1 << 19

var algebraLaws = []algebraLaw{
	{
		number: 16, name: "Then is associative",
		left:  func(a, b, c *node) *node { return chain(chain(a, b), c) },
		right: func(a, b, c *node) *node { return chain(a, chain(b, c)) },
	},
	{
		number: 17, name: "the empty chain is the identity, on the left",
		left: func(a, _, _ *node) *node { return chain(identity(), a) }, right: onlyA,
	},
	{
		number: 18, name: "the empty chain is the identity, on the right",
		left: func(a, _, _ *node) *node { return chain(a, identity()) }, right: onlyA,
	},
	{
		number: 19, name: "what follows a failed step never runs",
		left:  func(a, b, _ *node) *node { return chain(a, faulty(), b) },
		right: func(a, _, _ *node) *node { return chain(a, faulty()) },
	},
	{
		number: 20, name: "Catch around what succeeds is not there",
		left: func(a, _, _ *node) *node { return caught(chain(a, identity()), succeeds) }, right: onlyA, when: succeeded,
	},
	{
		number: 21, name: "a handler that unwinds is not there",
		left: func(a, b, _ *node) *node { return caught(chain(a, b), unwinds) }, forget: isHandler,
		right: func(a, b, _ *node) *node { return chain(a, b) },
	},
	{
		number: 22, name: "a silent handler unwinds",
		left:  func(a, b, _ *node) *node { return caught(chain(a, b), silent) },
		right: func(a, b, _ *node) *node { return caught(chain(a, b), unwinds) },
	},
	{
		number: 23, name: "a handler that fails with the same error unwinds",
		left:  func(a, b, _ *node) *node { return caught(chain(a, b), rethrows) },
		right: func(a, b, _ *node) *node { return caught(chain(a, b), unwinds) },
	},
	{
		number: 24, name: "an error that a handler recovers is over",
		left:  func(a, b, _ *node) *node { return chain(caught(chain(faulty(), a), succeeds), b) },
		right: func(_, b, _ *node) *node { return chain(caught(faulty(), succeeds), b) },
	},
	{
		number: 25, name: "Call is what it calls",
		left: func(a, _, _ *node) *node { return around(kCall, a) }, right: onlyA,
	},
	{
		number: 26, name: "Named is what it names",
		left: func(a, _, _ *node) *node { return around(kNamed, a) }, right: onlyA,
	},
	{
		number: 27, name: "CopyFrom of a model is its steps",
		left: func(a, _, _ *node) *node { return around(kCopy, a) }, right: onlyA,
	},
	{
		number: 28, name: "Par of one is that one",
		left: func(a, _, _ *node) *node { return around(kPar, a) }, right: onlyA, flat: true,
	},
	{
		number: 29, name: "ParEach of one element is one execution",
		left:  func(a, _, _ *node) *node { return &node{kind: kEach, n: 1, bound: 1, kids: []*node{a}} },
		right: onlyA, flat: true,
	},
	{
		number: 30, name: "a limit that doesn't pass is not there",
		left: func(a, _, _ *node) *node { return &node{kind: kLimit, limit: time.Hour, kids: []*node{a}} }, right: onlyA, when: ended,
	},
	{
		number: 31, name: "OnCancel shows itself only if what it holds doesn't succeed",
		left:   func(a, _, _ *node) *node { return &node{kind: kHook, id: outerID, kids: []*node{a}} },
		right:  onlyA,
		forget: func(e event) bool { return e.what == eHook && e.id == outerID },
	},
	{
		number: 32, name: "sub-steps are the steps of the step that enters them",
		left:   func(a, _, _ *node) *node { return &node{kind: kNew, body: &body{id: outerID, way: enters, kid: a}} },
		right:  onlyA,
		forget: isOuter,
	},
	{
		number: 33, name: "one turn of Repeat is the body",
		left: func(a, _, _ *node) *node { return &node{kind: kRepeat, n: 1, kids: []*node{a}} }, right: onlyA,
	},
	{
		number: 34, name: "no turn of Repeat is the identity",
		left:  func(a, b, _ *node) *node { return chain(&node{kind: kRepeat, n: 0, kids: []*node{a}}, b) },
		right: func(_, b, _ *node) *node { return b },
	},
	{
		number: 35, name: "a free guard lets everything through",
		left:   func(a, _, _ *node) *node { return within(a, 1) },
		right:  onlyA,
		forget: isOuter,
	},
	{
		number: 36, name: "a longer limit inside of a shorter one does not matter",
		left: func(_, _, _ *node) *node {
			return &node{kind: kLimit, limit: time.Millisecond, kids: []*node{{kind: kLimit, limit: time.Second, kids: []*node{waiting(time.Hour)}}}}
		},
		right: func(_, _, _ *node) *node {
			return &node{kind: kLimit, limit: time.Millisecond, kids: []*node{waiting(time.Hour)}}
		},
	},
	{
		number: 54, name: "a limiter is its throttle inside of its mutex",
		left:   func(a, b, c *node) *node { return chain(within(a, 2), within(b, 2), within(c, 2)) },
		right:  func(a, b, c *node) *node { return chain(within(a, 3, 4), within(b, 3, 4), within(c, 3, 4)) },
		forget: isOuter,
	},
	{
		number: 56, name: "a retry of one try is what it tries",
		left: func(a, _, _ *node) *node { return &node{kind: kRetry, n: 1, kids: []*node{a}} }, right: onlyA,
	},
	{
		number: 57, name: "a retry around what succeeds is not there",
		left: func(a, _, _ *node) *node { return &node{kind: kRetry, n: 3, kids: []*node{chain(a, identity())}} }, right: onlyA, when: succeeded,
	},
	{
		number: 84, name: "what may linger is what it is without that, unless it is left",
		left: func(a, b, c *node) *node {
			return chain(around(kLinger, a), caught(around(kLinger, chain(b, around(kLinger, c))), succeeds))
		},
		right: func(a, b, c *node) *node {
			return chain(around(kCall, a), caught(around(kCall, chain(b, around(kCall, c))), succeeds))
		},
		quiet: true, // the use of a kept scope of the run around isn't noticed
		when:  ended,
	},
}

func TestAlgebraLaws(t *testing.T) {
	for _, law := range algebraLaws {
		t.Run(fmt.Sprintf("law %d, %s", law.number, law.name), rapid.MakeCheck(func(t *rapid.T) {
			part := programs(shape{size: 8, serial: true, unsignalled: true, quiet: law.quiet})
			a, b, c := part.Draw(t, "a").plan, part.Draw(t, "b").plan, part.Draw(t, "c").plan
			parts := chain(a, b, c)
			next := 0
			parts.number(&next)
			if law.quiet {
				(&program{plan: parts}).untie()
			}
			left, lt := run(t, law.left(a, b, c))
			right, rt := run(t, law.right(a, b, c))
			if law.when != nil && !law.when(rt) {
				return
			}
			lt, rt = law.strip(lt), law.strip(rt)
			if !slices.Equal(lt, rt) {
				t.Fatalf("%v\ndoes\n%v\n%v\ndoes\n%v", left, lt, right, rt)
			}
		}))
	}
}

// ownGuards are the guards of the programs that the algebraLaws compare. Drawn parts may use the first two.
var ownGuards = []guardSpec{
	{max: 1, queue: -1},
	{max: 1, queue: -1},
	{kind: gLimiter, max: 1, rate: 1, period: 3 * time.Millisecond, burst: -1},
	{max: 1},
	{kind: gThrottle, rate: 1, period: 3 * time.Millisecond, burst: -1},
}

// within puts a into sections of the guards with these numbers, outermost first.
func within(a *node, guards ...int) *node {
	for _, g := range slices.Backward(guards) {
		a = &node{kind: kSync, id: outerID, guard: g, kids: []*node{a}}
	}
	return a
}

func run(t *rapid.T, plan *node) (*program, trace) {
	p := &program{plan: plan, guards: slices.Clone(ownGuards), cancel: -1}
	tr, err := build(p).plain()
	if err != nil {
		t.Fatal(err)
	}
	return p, tr
}

// strip removes what the traces of the two plans need not have in common, and numbers the activations anew.
func (l *algebraLaw) strip(t trace) trace {
	var kept trace
	acts := map[int]int{}
	for _, e := range t {
		if l.forget != nil && l.forget(e) {
			continue
		}
		if l.flat && e.where != nowhere {
			e.where = ""
		}
		if e.act != 0 {
			if acts[e.act] == 0 {
				acts[e.act] = len(acts) + 1
			}
			e.act = acts[e.act]
		}
		kept = append(kept, e)
	}
	return kept
}

// Law 37: a plan does the same in each run, whatever its earlier runs did.
func TestPlansAreValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := programs(shape{}).Draw(t, "program")
		m := build(p)
		first, err := m.plain()
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := m.under(schedules.Draw(t, "order in between")); err != nil {
			t.Fatal(err)
		}
		second, err := m.plain()
		if err != nil || !slices.Equal(first, second) {
			t.Fatalf("first\n%v\nthen (%v)\n%v", first, err, second)
		}
	})
}

// Law 38: a plan without parallel steps doesn't depend on the schedule, nor on where its run yields. Its timers are untied,
// because the order of those that are due at the same time is open.
func TestSerialPlansDoNotDependOnTheSchedule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := programs(shape{serial: true}).Draw(t, "program")
		p.untie()
		m := build(p)
		plain, err := m.plain()
		if err != nil {
			t.Fatal(err)
		}
		other, s, err := m.under(schedules.Draw(t, "order"))
		if err != nil || !slices.Equal(plain, other) {
			t.Fatalf("plain\n%v\nunder %v (%v)\n%v", plain, s, err, other)
		}
	})
}
