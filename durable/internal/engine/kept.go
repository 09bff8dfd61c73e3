package engine

import (
	"cmp"
	"slices"
)

// Kept holds the signals of a run that no step has received, by the keys with which steps ask for signals. Except for All, the time
// that a method takes doesn't depend on the number of signals. The zero Kept is empty.
type Kept[K comparable, V any] struct {
	queues map[K][]numbered[V]
	number int // the number of the last signal
}

type numbered[V any] struct {
	number int
	v      V
}

// Add adds v behind all others.
func (k *Kept[K, V]) Add(key K, v V) {
	if k.queues == nil {
		k.queues = make(map[K][]numbered[V])
	}
	k.number++
	k.queues[key] = append(k.queues[key], numbered[V]{k.number, v})
}

// Take removes the first signal with the given key, and returns it. ok is false if there is none.
func (k *Kept[K, V]) Take(key K) (v V, ok bool) {
	queue := k.queues[key]
	if len(queue) == 0 {
		return v, false
	}
	v = queue[0].v
	queue[0] = numbered[V]{}
	if k.queues[key] = queue[1:]; len(queue) == 1 {
		delete(k.queues, key)
	}
	return v, true
}

// All returns the signals in the order in which they were added.
func (k *Kept[K, V]) All() (all []V) {
	var rest []numbered[V]
	for _, queue := range k.queues {
		rest = append(rest, queue...)
	}
	slices.SortFunc(rest, func(a, b numbered[V]) int { return cmp.Compare(a.number, b.number) })
	for _, s := range rest {
		all = append(all, s.v)
	}
	return all
}
