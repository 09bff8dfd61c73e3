package debug

import (
	"strconv"
	"time"
)

// A rate counts the events of the last minute, in slots of some seconds. Its zero value is ready.
type rate struct {
	first time.Duration // when the first event was
	any   bool
	slots [rateSlots]struct {
		number int64 // number of the slot since the start of the clock
		count  uint32
	}
}

const (
	rateSlots = 13 // one more than fit into a minute, because one is being filled
	rateSlot  = 5 * time.Second
)

func (r *rate) add(at time.Duration) {
	if !r.any {
		r.first, r.any = at, true
	}
	number := int64(at / rateSlot)
	s := &r.slots[uint64(number)%rateSlots]
	if s.number != number {
		s.number, s.count = number, 0
	}
	s.count++
}

// perSecond returns the mean rate over the last 60 to 65 seconds, or over the time since the first event if that is shorter. It
// never divides by less than one second.
func (r *rate) perSecond(now time.Duration) float64 {
	if !r.any {
		return 0
	}
	number, sum := int64(now/rateSlot), 0
	for _, s := range r.slots {
		if s.number > number-rateSlots && s.number <= number {
			sum += int(s.count)
		}
	}
	covered := time.Duration(rateSlots-1)*rateSlot + now%rateSlot
	covered = max(min(covered, now-r.first), time.Second)
	return float64(sum) / covered.Seconds()
}

// undo removes an event that add has counted at the same time.
func (r *rate) undo(at time.Duration) {
	number := int64(at / rateSlot)
	if s := &r.slots[uint64(number)%rateSlots]; s.number == number && s.count > 0 {
		s.count--
	}
}

// threeDigits rounds f, which isn't negative, to three digits, and from 100 on to a whole number.
func threeDigits(f float64) string {
	if f >= 100 {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strconv.FormatFloat(f, 'g', 3, 64)
}
