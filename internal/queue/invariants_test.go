package queue

import (
	"fmt"
	"math/bits"
	"slices"
)

// check returns what is wrong with the heap, the run or the wheel of q, nil if nothing is.
func (q *Queue) check() error {
	armed := len(q.timers)
	for i, e := range q.timers {
		switch s := q.slots[e.key.slot()]; {
		case !q.Valid(e.key) || s.pos != int32(i):
			return fmt.Errorf("heap %d: key %#x, slot %+v", i, e.key, s)
		case i > 0 && e.before(&q.timers[(i-1)/arity]):
			return fmt.Errorf("heap %d: before its parent", i)
		case e.deadline > q.edge:
			return fmt.Errorf("heap %d: due at %d, after the edge %d", i, e.deadline, q.edge)
		}
	}
	if run := q.run[q.head:]; !slices.IsSortedFunc(run, func(a, b entry) int {
		if b.before(&a) {
			return 1
		}
		return -1
	}) {
		return fmt.Errorf("run not sorted: %v", run)
	}
	for _, e := range q.run[q.head:] {
		if q.waits(&e) {
			armed++
			if err := q.checkAside(e); err != nil || e.deadline > q.edge {
				return fmt.Errorf("run, edge %d: %w", q.edge, err)
			}
		}
	}
	far, err := q.checkWheel()
	if err != nil {
		return err
	}
	if armed += far; armed != q.Armed() {
		return fmt.Errorf("%d armed, found %d", q.Armed(), armed)
	}
	if (far == 0) != (q.edge == endless) {
		return fmt.Errorf("edge %d with %d in the wheel", q.edge, far)
	}
	return nil
}

func (q *Queue) checkAside(e entry) error {
	if s := q.slots[e.key.slot()]; s.pos != aside || s.order != rank(e.deadline) {
		return fmt.Errorf("due at %d, slot %+v", e.deadline, s)
	}
	return nil
}

// checkWheel returns how many wait in the wheel.
func (q *Queue) checkWheel() (waiting int, err error) {
	w := q.far
	if w == nil {
		return 0, nil
	}
	for i, l := range w.levels {
		size := 0
		for j := 0; l != nil && j < fan; j++ {
			b := &l.buckets[j]
			n, err := q.checkBucket(i, j)
			if err != nil {
				return 0, fmt.Errorf("level %d, bucket %d: %w", i, j, err)
			}
			if used := l.used>>j&1 == 1; used != (n > 0) || int(b.size-b.dead) != n {
				return 0, fmt.Errorf("level %d, bucket %d: used %v, size %d, dead %d, waiting %d", i, j, used, b.size, b.dead, n)
			}
			if b.dead > chunkLen && int(b.dead) > 3*n+3 {
				return 0, fmt.Errorf("level %d, bucket %d: %d of %d are dead", i, j, b.dead, b.size)
			}
			size += int(b.size)
			waiting += n
		}
		if used := w.used>>i&1 == 1; used != (size > 0) || l != nil && l.size != size {
			return 0, fmt.Errorf("level %d: used %v, %d entries", i, used, size)
		}
	}
	return waiting, nil
}

// checkBucket returns how many wait in a bucket.
func (q *Queue) checkBucket(i, j int) (n int, err error) {
	b := q.far.levels[i].buckets[j]
	left := b.size
	for c := b.head; left > 0; c = c.next {
		if c == nil {
			return 0, fmt.Errorf("%d entries without a chunk", left)
		}
		for _, e := range c.entries[:min(left, chunkLen)] {
			if !q.waits(&e) {
				continue
			}
			n++
			r := rank(e.deadline)
			x := r ^ rank(q.edge)
			if r <= rank(q.edge) || (63-bits.LeadingZeros64(x))/digit != i || int(r>>(i*digit)%fan) != j {
				return 0, fmt.Errorf("due at %d with edge %d", e.deadline, q.edge)
			}
			if err := q.checkAside(e); err != nil {
				return 0, err
			}
		}
		left -= min(left, chunkLen)
	}
	return n, nil
}
