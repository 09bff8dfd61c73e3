package queue

import (
	"math/bits"
	"time"
)

const (
	digit  = 6 // bits of a deadline that tell the bucket at one level
	fan    = 1 << digit
	height = (64 + digit - 1) / digit
)

// wheel is the timers that are far. A deadline is a number of eleven digits to the base of 64. It is kept at the level
// of the first digit, from the left, in which it differs from base, in the bucket that its own digit tells. Nothing is
// before base, so all of a lower level is before a higher one, and within a level all of a lower bucket before a
// higher one; and base may move forward as far as to what is first without a move of anything else.
//
// No clock drives it: it turns when what is near has been taken.
type wheel struct {
	chunks
	base   uint64 // the rank of the queue's edge, but while a bucket is dealt
	used   uint   // bit set of the levels that hold anything
	levels [height]*level
}

type level struct {
	used    uint64 // bit set of the buckets that hold anything
	size    int    // entries in all buckets
	buckets [fan]bucket
}

// rank maps deadlines to numbers without a sign, in the same order.
func rank(deadline time.Duration) uint64 { return uint64(deadline) ^ 1<<63 }

// level returns where rank r is kept; equal to base it would be at level 0.
func (w *wheel) level(r uint64) int { return (bits.Len64(r^w.base|1) - 1) / digit }

// place returns the level and the bucket where rank r is kept.
func (w *wheel) place(r uint64) (i, j int) {
	i = w.level(r)
	return i, int(r >> (i * digit) % fan)
}

func (w *wheel) add(e entry) {
	i, j := w.place(rank(e.deadline))
	l := w.levels[i]
	if l == nil {
		l = new(level)
		w.levels[i] = l
	}
	l.buckets[j].add(e, &w.chunks)
	l.size++
	l.used |= 1 << j
	w.used |= 1 << i
}

// first returns the level and the bucket of what is first. There must be something.
func (w *wheel) first() (i, j int) {
	i = bits.TrailingZeros(w.used)
	return i, bits.TrailingZeros64(w.levels[i].used)
}

// detach takes a bucket out, with all that is in it.
func (w *wheel) detach(i, j int) bucket {
	l := w.levels[i]
	b := l.buckets[j]
	l.buckets[j] = bucket{}
	l.size -= int(b.size)
	l.used &^= 1 << j
	if l.used == 0 {
		w.used &^= 1 << i
	}
	return b
}

// enter moves base to the start of a bucket, so that what was in it belongs to lower levels.
func (w *wheel) enter(i, j int) {
	w.base &^= 1<<((i+1)*digit) - 1
	w.base |= uint64(j) << (i * digit)
}

// below returns the number of entries at the levels below i.
func (w *wheel) below(i int) (n int) {
	for _, l := range w.levels[:i] {
		if l != nil {
			n += l.size
		}
	}
	return n
}
