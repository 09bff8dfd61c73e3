package explore

import (
	"errors"
	"hash/fnv"
	"math/rand/v2"
)

// Bounds limit an exhaustive search. The zero Bounds are the defaults.
type Bounds struct {
	// Schedules is the maximal number of schedules that are tried; 0 stands for 10,000.
	Schedules int

	// Delays is the maximal number of answers in which a schedule differs from the plain order; 0 stands for any number.
	Delays int
}

const defaultSchedules = 10_000

// Result is the outcome of a search.
type Result struct {
	Schedules int      // how many different schedules were tried
	Trials    int      // how many times the body was run until it failed, or in all
	Outcomes  int      // how many different sequences of notes there were
	Complete  bool     // every schedule within the bound of delays was tried, or one that differs only in what [Trial.Apart] says
	Failure   *Failure // nil if none failed
}

// Failure is a schedule under which the body failed.
type Failure struct {
	Schedule Schedule
	Err      error
	Notes    []string
	Plans    []string // descriptions of the plans of runs begun by Start
}

// Try runs body once; answer decides which of n goes next. Try returns the schedule that its answers make. If answer
// draws by a property testing library, that library shrinks the schedule together with the rest.
func Try(answer func(n int) int, body Body) (Schedule, error) {
	x := newTrial(answer)
	err := body(x)
	return x.taken, err
}

// Replay runs body once, under s.
func Replay(s Schedule, body Body) error {
	_, err := Try(s.answers(), body)
	return err
}

// All runs body under every schedule within the bounds, the plain one first,
// until it fails. Schedules begin as others do: if body asks or notes something else then, the failure is
// [ErrNondeterministic].
func All(bounds Bounds, body Body) Result {
	s := newSearch(body)
	s.all(bounds)
	return s.end()
}

// Drawn runs body under count schedules drawn from seed, until it fails. The
// same seed draws the same schedules, of which some may be equal.
func Drawn(seed uint64, count int, body Body) Result {
	s := newSearch(body)
	s.drawn(seed, count)
	return s.end()
}

// search is the state of a search.
type search struct {
	body   Body
	result Result
	tried  map[string]struct{} // schedules
	seen   map[uint64]struct{} // hashes of outcomes
}

func newSearch(body Body) *search {
	return &search{body: body, tried: make(map[string]struct{}), seen: make(map[uint64]struct{})}
}

func (s *search) all(bounds Bounds) {
	limit := bounds.Schedules
	if limit <= 0 {
		limit = defaultSchedules
	}
	var last *Trial
	w := walk{delays: bounds.Delays}
	for at := (Schedule{}); at != nil; {
		if s.result.Trials == limit {
			return
		}
		x := s.try(at.answers())
		if n := w.changed(); s.result.Failure == nil && last != nil && !agree(last, x, n) {
			s.result.Failure = differing(s.body, at[:n])
		}
		if s.result.Failure != nil {
			return
		}
		last, at = x, w.next(x)
	}
	s.result.Complete = true
}

func (s *search) drawn(seed uint64, count int) {
	for i := range count {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		if s.try(r.IntN); s.result.Failure != nil {
			return
		}
	}
}

func (s *search) try(answer func(n int) int) *Trial {
	x := newTrial(answer)
	err := s.body(x)
	s.result.Trials++
	s.tried[x.taken.String()] = struct{}{}
	h := fnv.New64a()
	_, _ = h.Write([]byte(x.outcome()))
	s.seen[h.Sum64()] = struct{}{}
	if err != nil {
		s.result.Failure = x.failure(err)
	}
	return x
}

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
