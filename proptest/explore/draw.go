package explore

import (
	"math"
	"math/rand/v2"
)

// question asks a schedule which of n goes next. Its subject matters to drawn schedules, to guides, and in the texts of states.
type question struct {
	n    int
	of   subject
	keys func(i int) uint64 // for the subject callbacks: the key of callback i, which stays the same until the callback is taken

	lapse string // see point.lapse
}

type subject int

const (
	something subject = iota // what the test lets vary, which fiber of a run goes on, or which action comes on an idle loop
	whether                  // whether the loop goes on (answer 0), an action comes first, or a lapse of time does
	callbacks                // which callback of the loop goes next
)

// draws is the state of a search by drawn schedules.
type draws struct {
	drawn    int
	whethers int // number of questions of the subject whether in the plain schedule
	others   int // number of the others

	moment float64 // when the first action comes in the last schedule that act has drawn: from 0, early, to 1, late
}

// golden is the golden ratio: the fractional parts of its multiples are spread evenly for any number of them.
const golden = 1.618033988749895

// next returns the answers of the next schedule. total, if it isn't nil, points to an estimate of the number of schedules. The
// estimate is complete at the end of the trial.
func (d *draws) next(seed uint64) (answer func(q question) int, total *float64) {
	r := rand.New(rand.NewPCG(seed, uint64(d.drawn)))
	d.drawn++
	if d.drawn == 1 {
		d.moment = r.Float64()
		return d.plain, nil
	}
	switch d.drawn % 6 {
	case 2, 5:
		return d.near(r), nil
	case 3, 0:
		return d.prior(r), nil
	case 4:
		return func(q question) int { return r.IntN(q.n) }, nil
	default:
		return d.counting(r)
	}
}

// plain gives the answers of the plain schedule, and counts the questions.
func (d *draws) plain(q question) int {
	if q.of == whether {
		d.whethers++
	} else {
		d.others++
	}
	return 0
}

// act returns a function that answers questions of the subject whether, and returns the probabilities of its answers. An action is
// about equally likely at each of the points that are left. Over several schedules the moments of the first action are spread evenly.
func (d *draws) act(r *rand.Rand) func(q question) (answer int, probability float64) {
	asked := 0
	_, moment := math.Modf(d.moment + golden)
	d.moment = moment
	return func(q question) (answer int, probability float64) {
		left := max(d.whethers-asked, 1)
		asked++
		all := float64(q.n - 1 + left)
		p := float64(q.n-1) / all
		if moment >= p {
			moment = (moment - p) / (1 - p)
			return 0, 1 - p
		}
		answer = 1 + min(int(moment/p*float64(q.n-1)), q.n-2)
		moment = r.Float64()
		return answer, 1 / all
	}
}

// counting draws each answer with equal probability, except for questions of the subject whether. The total is the reciprocal of
// the schedule's probability, which is on average the number of schedules (Knuth 1975).
func (d *draws) counting(r *rand.Rand) (answer func(q question) int, total *float64) {
	act := d.act(r)
	product := 1.0
	return func(q question) int {
		answer, p := r.IntN(q.n), 1/float64(q.n)
		if q.of == whether {
			answer, p = act(q)
		}
		product /= p
		return answer
	}, &product
}

// prior gives each callback a priority when it is first seen, and lets the callback with the highest priority go next. This is
// basic partial order sampling (Yuan, Yang and Gu 2018). The probability that k given callbacks go before another one is 1/(k+1).
func (d *draws) prior(r *rand.Rand) func(q question) int {
	act := d.act(r)
	priorities := map[uint64]float64{}
	priority := func(key uint64) float64 {
		p, ok := priorities[key]
		if !ok {
			p = r.Float64()
			priorities[key] = p
		}
		return p
	}
	return func(q question) int {
		switch q.of {
		case whether:
			answer, _ := act(q)
			return answer
		case callbacks:
			best, highest := 0, -1.0
			for i := range q.n {
				if p := priority(q.keys(i)); p > highest {
					best, highest = i, p
				}
			}
			return best
		default:
			return r.IntN(q.n)
		}
	}
}

// near departs from the plain order at up to three drawn points, not counting actions. There it draws the answer, or it draws a
// callback, and holds that up as long as others can go on. A change of priority in probabilistic concurrency testing does the same
// (Burckhardt, Kothari, Musuvathi and Nagarakatte 2010).
func (d *draws) near(r *rand.Rand) func(q question) int {
	act := d.act(r)
	departs := map[int]bool{}
	for range 1 + r.IntN(3) {
		departs[r.IntN(max(d.others, 1))] = true
	}
	asked := 0
	held := map[uint64]bool{}
	return func(q question) int {
		if q.of == whether {
			answer, _ := act(q)
			return answer
		}
		departing := departs[asked]
		asked++
		switch {
		case departing && q.of == callbacks && r.IntN(2) == 0:
			held[q.keys(r.IntN(q.n))] = true
		case departing:
			return r.IntN(q.n)
		}
		if q.of == callbacks {
			for i := range q.n {
				if !held[q.keys(i)] {
					return i
				}
			}
		}
		return 0
	}
}
