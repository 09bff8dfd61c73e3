package queue

import (
	"math/bits"
	"time"
)

const (
	digit  = 6 // bits of a deadline that select the bucket at one level
	fan    = 1 << digit
	height = (64 + digit - 1) / digit
)

// wheel holds the timers that are due after the edge. It reads a deadline as a number of eleven digits of 6 bits. The
// first digit from the left in which the deadline differs from base selects the level, and the deadline's digit there
// selects the bucket. No deadline is before base. So all timers of a lower level are due before those of a higher level,
// and within a level those of a lower bucket before those of a higher bucket. base may move forward up to the first
// timer, and only the timers of the first bucket have to be moved then.
//
// No clock drives the wheel: [Queue.refill] takes out a bucket when the timers before it have been taken.
type wheel struct {
	chunks
	base   uint64 // the rank of the queue's edge, except while a bucket is dealt or the wheel is empty
	used   uint   // a bit for each level that holds timers
	levels [height]*level
}

type level struct {
	used    uint64 // a bit for each bucket that holds timers
	size    int    // number of entries in all buckets
	buckets [fan]bucket
}

// rank maps deadlines to unsigned numbers in the same order.
func rank(deadline time.Duration) uint64 { return uint64(deadline) ^ 1<<63 }

// level returns the level for rank r. For a rank equal to base that is 0.
func (w *wheel) level(r uint64) int { return (bits.Len64(r^w.base|1) - 1) / digit }

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

// first returns the level and the bucket of the first timers. The wheel must not be empty.
func (w *wheel) first() (i, j int) {
	i = bits.TrailingZeros(w.used)
	return i, bits.TrailingZeros64(w.levels[i].used)
}

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

// moveBase moves base to the start of a bucket, so that the timers of this bucket belong to lower levels.
func (w *wheel) moveBase(i, j int) {
	w.base &^= 1<<((i+1)*digit) - 1
	w.base |= uint64(j) << (i * digit)
}

func (w *wheel) below(i int) (n int) {
	for _, l := range w.levels[:i] {
		if l != nil {
			n += l.size
		}
	}
	return n
}
