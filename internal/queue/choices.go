package queue

import "time"

// Choices appends the keys of the callbacks that a test may choose to run next at the time now: those of all immediates,
// oldest first, then those of the timers with the earliest deadline, oldest first, if that deadline has come. If late is
// set, the second group is all timers whose deadline has come, the earliest first, except those in the wheel. Choices looks
// at each immediate, and at each timer that isn't in the wheel.
func (q *Queue) Choices(keys []Key, now time.Duration, late bool) []Key {
	for i := q.first; i != none; i = q.slots[i].next {
		keys = append(keys, q.key(i))
	}
	earliest, ok := q.Deadline()
	if !ok || earliest > now {
		return keys
	}
	last := earliest
	if late {
		last = now
	}
	var tied []entry
	for _, e := range q.run[q.head:] {
		if e.deadline <= last && q.waits(&e) {
			tied = append(tied, e)
		}
	}
	for _, e := range q.timers {
		if e.deadline <= last {
			tied = append(tied, e)
		}
	}
	inOrder(tied)
	for _, e := range tied {
		keys = append(keys, e.key)
	}
	return keys
}
