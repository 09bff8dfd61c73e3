package laws_test

import (
	"slices"
	"time"
)

// contest is the state of a parallel step that a number of its branches decide (P6).
type contest struct {
	f       *frame
	wins    int         // number of successes that decide it
	losses  int         // number of failures that it survives
	more    func() bool // reports whether another branch may still succeed
	another func()      // begins another branch after a failure, in races that do that
	begins  func() bool // of a Hedge: reports whether a branch may yet begin; otherwise nil

	won     []*fiber  // in the order in which they succeeded
	lost    []failure // failures survived, oldest first
	defects []failure // defects, which are reported if the race is won
	settled bool      // it has enough successes
	met     int       // if settled, how many errors of the step are older than those of the losers that are being left
	over    bool      // the step has ended, or is being left
}

// hears records the end of branch b. It reports false if r is an error that the race doesn't survive.
func (c *contest) hears(b *fiber, r result) bool {
	switch {
	case r.how == ok:
		b.out = r
		if c.won = append(c.won, b); len(c.won) == c.wins {
			c.settled = true
			b.m.tells(c.defects)
			c.defects = nil
			b.m.freeze(b.parent)
		}
		return true
	case len(c.lost) == c.losses || !c.more():
		return false
	default:
		if r.why.panicked() {
			c.defects = append(c.defects, r.why)
		}
		c.defects = append(c.defects, defects(b.also)...)
		c.lost = append(c.lost, failure{code: r.why.code, info: r.why.info})
		c.another()
		return true
	}
}

// inherit adds the survived failures of the innermost step of s, which is left because of another error.
func (s *fiber) inherit() {
	if len(s.frames) == 0 {
		return
	}
	c := s.frames[len(s.frames)-1].contest
	if c == nil {
		return
	}
	at := len(s.also)
	if c.settled {
		at = min(at, c.met) // older than the errors that losers have met
	}
	s.also = slices.Insert(s.also, at, c.bequeath()...)
}

// bequeath returns the survived failures as secondary errors of the step's error.
func (c *contest) bequeath() []failure {
	all := c.lost
	for _, d := range c.defects {
		d.defect, d.part = true, true
		all = append(all, d)
	}
	c.lost, c.defects, c.over = nil, nil, true
	return all
}

func defects(all []failure) []failure {
	return slices.DeleteFunc(slices.Clone(all), func(why failure) bool { return !why.defect })
}

func (f failure) panicked() bool { return f.code == panicked.code && f.info == panicked.info }

func (s *fiber) race(f *frame, in int) result {
	n := f.op.n
	c := &contest{f: f, wins: 1, losses: len(f.op.kids) - 1}
	switch n.flav {
	case raceEnd:
		c.losses = 0
	case raceSome:
		c.wins, c.losses = n.n, len(f.op.kids)-n.n
	}
	f.contest = c
	begin := func() {
		i := len(f.branches)
		b := s.m.spawn(s, f, s.number(i), func(b *fiber) { b.branch(func() result { return b.contends(f.op.kids[i], in) }) })
		f.branches = append(f.branches, b)
	}
	c.more, c.another = func() bool { return true }, func() {}
	if n.flav != raceHedge {
		for range f.op.kids {
			begin()
		}
	} else {
		s.stagger(f, begin)
	}
	if !s.decided(f) {
		return result{how: dropped}
	}
	if f.broken != nil {
		return *f.broken
	}
	total := 0
	for i, b := range c.won {
		total += (i + 1) * b.out.value
	}
	return result{value: total}
}

func (s *fiber) contends(ops []*op, in int) result {
	s.prompt = endShows(ops)
	return s.level(ops, in)
}

// due reports whether s, a branch of a race, has succeeded at the moment of an event and its race doesn't know yet.
func (s *fiber) due() bool { return !s.frozen && s.pend.kind == departs && s.since > 0 }

// succeeded returns the first of the due branches. Until it counts, no body begins and no later success counts (O7, P6).
func (m *model) succeeded() (first *fiber) {
	for _, s := range m.fibers {
		if s.due() && (first == nil || s.since < first.since) {
			first = s
		}
	}
	return first
}

// stagger begins the first branch of f, and each further one after a delay, or when a branch fails.
func (s *fiber) stagger(f *frame, begin func()) {
	c := f.contest
	next := new(alarm)
	another := func() {
		next.off = true
		if c.over || c.settled || f.broken != nil || s.frozen || s.killed != nil || len(f.branches) == len(f.op.kids) {
			return
		}
		begin()
		if len(f.branches) < len(f.op.kids) {
			next = s.m.after(f.op.n.limit, c.another)
		}
	}
	c.another = another
	c.begins = func() bool {
		return !c.over && !c.settled && f.broken == nil && !s.frozen && s.killed == nil && len(f.branches) < len(f.op.kids)
	}
	another()
}

// decided waits until the race of f is decided and the losers have been left, or until f.broken is set. It reports false if s is
// left before.
func (s *fiber) decided(f *frame) bool {
	c := f.contest
	if !s.block(false, func() bool { return c.settled || f.broken != nil }) {
		return false
	}
	if f.broken != nil {
		return true
	}
	if s.nextToDrop(f) != nil && !s.silent() {
		return false
	}
	for c.met = len(s.also); s.partNext(f); c.met = len(s.also) {
		if s.killed != nil || len(s.also) > c.met && !s.silent() {
			return false
		}
		s.m.tells(defects(s.also[c.met:]))
		s.also = s.also[:c.met]
		if len(c.lost) > 0 && !s.silent() {
			return false // survived errors become secondary errors of the one that replaces the success
		}
	}
	f.branches, f.contest, c.over = nil, nil, true
	return true
}

type alarm struct {
	at   time.Duration
	off  bool
	fire func()
}

func (m *model) after(d time.Duration, fn func()) *alarm {
	a := &alarm{at: m.now + d}
	a.fire = func() {
		a.off = true
		fn()
	}
	m.alarms = append(m.alarms, a)
	return a
}

func (m *model) tells(all []failure) {
	for _, why := range all {
		m.told = append(m.told, why.String())
	}
}
