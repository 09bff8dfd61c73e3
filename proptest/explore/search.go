package explore

import (
	"hash/fnv"
	"math/rand/v2"
)

// Bounds limit an exhaustive search. The zero Bounds are the defaults.
type Bounds struct {
	// Schedules is how many schedules are tried at most; 0 stands for 10,000.
	Schedules int

	// Delays is in how many answers a schedule may differ from the plain order;
	// 0 stands for any number.
	Delays int
}

const defaultSchedules = 10_000

// Result is what a search has found.
type Result struct {
	Schedules int      // tried, all different
	Outcomes  int      // different sequences of notes
	Complete  bool     // every schedule within the bound of delays was tried
	Failure   *Failure // nil if none failed
}

// Failure is a schedule under which the body failed.
type Failure struct {
	Schedule Schedule
	Err      error
	Notes    []string
}

// Try runs body once; answer says which of n goes next. It gives the schedule
// that came about. Let a property testing library answer, and it will shrink
// the schedule together with the rest.
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
// until it fails.
func All(bounds Bounds, body Body) Result {
	limit := bounds.Schedules
	if limit <= 0 {
		limit = defaultSchedules
	}
	search := newSearch(body)
	for s := (Schedule{}); s != nil; {
		if search.result.Schedules == limit {
			return search.end()
		}
		x := search.try(s.answers())
		if search.result.Failure != nil {
			return search.end()
		}
		s = next(x.taken, x.sizes, bounds.Delays)
	}
	search.result.Complete = true
	return search.end()
}

// next is the schedule after one that was tried: the last question that has
// another answer gets it. nil: that was the last one.
func next(taken Schedule, sizes []int, delays int) Schedule {
	for i := len(taken) - 1; i >= 0; i-- {
		s := append(Schedule(nil), taken[:i+1]...)
		s[i]++
		if s[i] < sizes[i] && (delays <= 0 || s.Delays() <= delays) {
			return s
		}
	}
	return nil
}

// Drawn runs body under count schedules drawn from seed, until it fails. The
// same seed draws the same schedules. Schedules counts trials here; some may be
// equal.
func Drawn(seed uint64, count int, body Body) Result {
	search := newSearch(body)
	for i := range count {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		if search.try(r.IntN); search.result.Failure != nil {
			break
		}
	}
	return search.end()
}

// search is one in progress.
type search struct {
	body   Body
	result Result
	seen   map[uint64]struct{} // hashes of outcomes
}

func newSearch(body Body) *search { return &search{body: body, seen: make(map[uint64]struct{})} }

func (s *search) try(answer func(n int) int) *Trial {
	x := newTrial(answer)
	err := s.body(x)
	s.result.Schedules++
	h := fnv.New64a()
	_, _ = h.Write([]byte(x.outcome()))
	s.seen[h.Sum64()] = struct{}{}
	if err != nil {
		s.result.Failure = &Failure{x.taken, err, x.notes}
	}
	return x
}

func (s *search) end() Result {
	s.result.Outcomes = len(s.seen)
	if f := s.result.Failure; f != nil {
		simplify(s.body, f)
	}
	return s.result
}
