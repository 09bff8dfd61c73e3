package syncx

import (
	"math"
	"math/bits"
	"strconv"
	"time"
)

// span is a time in nanoseconds and a part of one, because the time between two tokens need not be a whole number of
// nanoseconds.
type span struct {
	whole time.Duration
	part  uint64 // in units of 1/rate of a nanosecond; below rate
}

// ages are 146 years: twice that still fits into a Duration.
const ages = math.MaxInt64 / 2

// filling is how fast a token bucket fills, and how many tokens fit.
type filling struct {
	rate   uint64 // tokens per period
	period time.Duration
	burst  int
	room   span // how long it takes to fill the empty bucket
}

func newFilling(rate int, period time.Duration, burst int) (f filling, err error) {
	switch {
	case rate < 1:
		return f, invalid("token bucket: the rate must be at least 1, got " + strconv.Itoa(rate))
	case period <= 0:
		return f, invalid("token bucket: the period must be positive, got " + period.String())
	case burst < 1:
		return f, invalid("token bucket: the burst must be at least 1, got " + strconv.Itoa(burst))
	}
	f.rate, f.period = uint64(rate), period
	if f.burst = min(burst, f.tokensOfAges()); f.burst < 1 {
		return filling{}, invalid("token bucket: a token takes longer than 146 years")
	}
	f.room = f.spanOf(f.burst)
	return f, nil
}

// spanOf returns how long it takes until so many tokens have come, ages at most.
func (f *filling) spanOf(tokens int) span {
	high, low := bits.Mul64(uint64(tokens), uint64(f.period))
	if high >= f.rate {
		return span{whole: ages}
	}
	whole, part := bits.Div64(high, low, f.rate)
	if whole >= ages {
		return span{whole: ages}
	}
	return span{time.Duration(whole), part}
}

// tokensOfAges returns how many tokens come in ages, at most the largest int.
func (f *filling) tokensOfAges() int {
	high, low := bits.Mul64(ages, f.rate)
	if high >= uint64(f.period) {
		return math.MaxInt
	}
	tokens, _ := bits.Div64(high, low, uint64(f.period))
	return int(min(tokens, math.MaxInt))
}

// refit converts left, the time until a bucket with filling f is full, to the time that it takes with filling to. The bucket
// keeps its tokens, and its part of a token, as far as they fit.
func (f *filling) refit(left span, to *filling) span {
	high, low := bits.Mul64(uint64(left.whole), f.rate)
	low, carry := bits.Add64(low, left.part, 0)
	tokens, rest := bits.Div64(high+carry, low, uint64(f.period)) // rest is a part of a token, in units of 1/period
	missing := int64(tokens) + int64(to.burst) - int64(f.burst)
	if missing < 0 {
		return span{}
	}
	high, low = bits.Mul64(rest, uint64(to.period))
	parts, odd := bits.Div64(high, low, uint64(f.period))
	if odd > 0 {
		parts++ // rounded up, so that no more tokens come than at the rate
	}
	return to.spanOf(int(min(missing, math.MaxInt))).plus(span{time.Duration(parts / to.rate), parts % to.rate}, to.rate)
}

func (s span) plus(t span, rate uint64) span {
	sum := span{later(s.whole, t.whole), s.part + t.part}
	if sum.part >= rate {
		sum.whole, sum.part = later(sum.whole, 1), sum.part-rate
	}
	return sum
}

func (s span) minus(t span, rate uint64) span {
	if s.part < t.part {
		s.whole, s.part = s.whole-1, s.part+rate
	}
	return span{s.whole - t.whole, s.part - t.part}
}
