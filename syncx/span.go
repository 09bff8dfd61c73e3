package syncx

import (
	"math"
	"math/bits"
	"time"
)

// span is a time in nanoseconds and a part of one, for tokens of which many come in a nanosecond or whose period no number of
// nanoseconds divides.
type span struct {
	whole time.Duration
	part  uint64 // in parts of 1/rate of a nanosecond; below rate
}

// ages are 146 years, so that two of them are a Duration.
const ages = math.MaxInt64 / 2

// spanOf returns how long it takes until so many tokens have come. It is ages at most.
func (b *TokenBucket) spanOf(tokens int) span {
	high, low := bits.Mul64(uint64(tokens), uint64(b.period))
	if high >= b.rate {
		return span{whole: ages}
	}
	whole, part := bits.Div64(high, low, b.rate)
	if whole >= ages {
		return span{whole: ages}
	}
	return span{time.Duration(whole), part}
}

// tokensOfAges returns how many tokens come in ages, or the largest int.
func (b *TokenBucket) tokensOfAges() int {
	high, low := bits.Mul64(ages, b.rate)
	if high >= uint64(b.period) {
		return math.MaxInt
	}
	tokens, _ := bits.Div64(high, low, uint64(b.period))
	return int(min(tokens, math.MaxInt))
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
