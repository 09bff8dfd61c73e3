package explore

import (
	"errors"
	"hash/fnv"
	"math/rand/v2"
)

// Bounds limit an exhaustive search. The zero Bounds are the defaults.
type Bounds struct {
	// Schedules is the maximal number of schedules that are tried; 0 stands for 10,000. [Check] draws up to as many more.
	Schedules int

	// Delays is the maximal number of answers in which a schedule differs from the plain order; 0 stands for any number.
	Delays int

	// Workers is the number of goroutines on which [Check] runs the schedules that it draws; 0 stands for one. It doesn't
	// change the report. With several workers the body must guard what its trials share, and must not call t.FailNow or t.Fatal.
	// The exhaustive search runs on one goroutine, because each schedule depends on the earlier ones.
	Workers int
}

const defaultSchedules = 10_000

func (b Bounds) schedules() int {
	if b.Schedules > 0 {
		return b.Schedules
	}
	return defaultSchedules
}

// Result is the outcome of a search.
type Result struct {
	Schedules int      // how many different schedules were tried
	Trials    int      // how many trials the search made, without those that look for [ErrNotApart], or repeat or simplify a failure
	Outcomes  int      // how many different outcomes there were, by the notes: see [Trial.Note] and [Trial.NotesApart]
	Complete  bool     // every schedule within the bound of delays was tried, except those that [Trial.Apart] and [Trial.State] leave out
	Failure   *Failure // nil if no trial failed
}

// Failure is a schedule under which the body failed.
type Failure struct {
	Schedule Schedule
	Err      error
	Notes    []string
	Plans    []string // descriptions of the plans that Start has run
}

// Try runs body once. answer chooses one of n ways to go on. Try returns the schedule that the answers make, and the error of body.
// If answer draws with a property testing library, the library shrinks the schedule together with the rest.
func Try(answer func(n int) int, body Body) (Schedule, error) {
	x := newTrial(func(q question) int { return answer(q.n) })
	err := body(x)
	return x.taken, err
}

// Replay runs body once, under s, and returns its error.
func Replay(s Schedule, body Body) error {
	return body(newTrial(s.answers()))
}

// All runs body under the schedules within the bounds until body fails. The plain schedule comes first; with a bound of delays,
// schedules with fewer delays come before those with more. Each other schedule begins like an earlier one. If the questions or
// notes in that beginning differ from the earlier ones, and body returns no error, the failure is [ErrNondeterministic].
func All(bounds Bounds, body Body) Result {
	s := newSearch(sheltered(body, nil))
	s.all(bounds, bounds.schedules())
	return s.end()
}

// Drawn runs body under the plain schedule and others drawn from seed, count in all, until body fails. The same seed draws the
// same schedules. Some of them may be equal. Three ways of drawing take turns: few departures from the plain order, some of
// which hold a callback up for long; drawn priorities of callbacks; and each answer by chance. In most schedules an action is as
// likely to come late as early.
func Drawn(seed uint64, count int, body Body) Result {
	s := newSearch(sheltered(body, nil))
	s.drawn(seed, count)
	return s.end()
}

type search struct {
	body   Body
	result Result
	tried  map[string]struct{} // the schedules as text
	seen   map[uint64]bool     // the hashes of outcomes; true for those that the exhaustive search has had

	route  route    // of the exhaustive search; nil before the first trial
	next   Schedule // the next schedule of the exhaustive search, nil at its end
	last   *Trial   // the last trial of the exhaustive search
	walked int      // how many trials the exhaustive search has made
	draws  draws
	total  estimate

	workers int // on how many goroutines drawn makes trials
}

func newSearch(body Body) *search {
	return &search{body: body, tried: make(map[string]struct{}), seen: make(map[uint64]bool), next: Schedule{}}
}

// route decides which schedules an exhaustive search tries.
type route interface {
	// before returns the earlier trial from which the schedule that next returned last departs, and the question at which it
	// departs. of is nil for the plain schedule.
	before() (of *Trial, n int)

	// next returns the schedule to try after x; nil if there is none.
	next(x *Trial) Schedule
}

func (s *search) open() bool { return s.result.Failure == nil && !s.result.Complete }

// all continues the exhaustive search until it has tried limit schedules in all, or the search is over.
func (s *search) all(bounds Bounds, limit int) {
	switch {
	case s.route != nil:
	case bounds.Delays > 0:
		s.route = &levels{delays: bounds.Delays, from: none}
	default:
		s.route = new(walk)
	}
	for s.open() && s.walked < limit {
		x := s.try(s.next.answers())
		s.last = x
		s.seen[x.hash()] = true
		s.walked++
		if before, n := s.route.before(); s.result.Failure == nil && before != nil && !agree(before, x, n) {
			s.result.Failure = differing(s.body, s.next[:n])
		}
		if s.result.Failure == nil {
			s.next = s.route.next(x)
			if s.result.Complete = s.next == nil; s.result.Complete && bounds.Delays == 0 {
				s.probe()
			}
		}
	}
}

// drawn draws schedules until there are count in all, or the search is over.
func (s *search) drawn(seed uint64, count int) {
	for s.open() && s.draws.drawn < count {
		n := 1 // the plain schedule comes first, alone: the others depend on the questions in it
		if s.draws.drawn > 0 {
			n = min(max(s.workers, 1), count-s.draws.drawn)
		}
		batch := make([]draw, n)
		for i := range batch {
			batch[i].answer, batch[i].total = s.draws.next(seed)
		}
		s.run(batch)
		for _, d := range batch {
			if !s.open() {
				break
			}
			if s.record(d.x, d.err); d.total != nil {
				s.total.add(*d.total)
			}
		}
	}
}

// near tries the plain schedule, to count the questions, and then count schedules of draws.near, until one fails. It does nothing
// if the search is over.
func (s *search) near(count int) {
	r := rand.New(rand.NewPCG(1, 0))
	var d draws
	if s.open() {
		s.try(d.plain)
	}
	for i := 0; s.open() && i < count; i++ {
		s.try(d.near(r))
	}
}

func (s *search) try(answer func(q question) int) *Trial {
	x := newTrial(answer)
	s.record(x, s.body(x))
	return x
}

func (s *search) record(x *Trial, err error) {
	s.result.Trials++
	s.tried[x.taken.String()] = struct{}{}
	if h := x.hash(); !s.seen[h] {
		s.seen[h] = false
	}
	if err != nil {
		s.result.Failure = x.failure(err)
	}
}

func (x *Trial) hash() uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(x.outcome()))
	return h.Sum64()
}

// knows reports whether a trial of the exhaustive search had the same outcome as x. Trials of drawn schedules don't count: their
// orders may be some that the exhaustive search has left out.
func (s *search) knows(x *Trial) bool { return s.seen[x.hash()] }

func (s *search) end() Result {
	s.result.Schedules = len(s.tried)
	s.result.Outcomes = len(s.seen)
	if f := s.result.Failure; f != nil && !errors.Is(f.Err, ErrNondeterministic) {
		simplify(s.body, f)
		if Replay(f.Schedule, s.body) == nil {
			f.Err = errors.Join(f.Err, ErrNondeterministic)
		}
	}
	return s.result
}
