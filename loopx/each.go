package loopx

import (
	"cmp"
	"maps"
	"slices"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Item is the input of one iteration of [Each], [EachMap], [EachSeq] and [EachSeq2].
type Item[K, V, T any] struct {
	Key   K // the index or the key
	Value V // the element
	Carry T // the value carried from the iteration before; the zero T in the first iteration
}

// Each runs body for every element of its input, a slice, in order. The result is
// that of the last iteration; for an empty slice it is the zero T.
//
// The slice must not be changed while the loop runs. Errors, cancellation, concurrency and
// allocation are those of [Loop]. A nil body is reported by flow.Plan.Err.
//
//spec:ftn12 §2.2.4 forEach
func Each[V, T any](body step.Step[Item[int, V, T], T]) flow.Plan[[]V, T] {
	return build[list[V, T], []V]("foreach", body, "Each: the body is nil", list[V, T]{})
}

type list[V, T any] struct {
	values []V
	next   int
}

func (l *list[V, T]) Open(in []V) (start T) {
	l.values, l.next = in, 0
	return start
}

func (l *list[V, T]) Next(carry T, item *Item[int, V, T]) bool {
	if l.next == len(l.values) {
		return false
	}
	*item = Item[int, V, T]{l.next, l.values[l.next], carry}
	l.next++
	return true
}

// EachMap is [Each] for a map, in ascending order of the keys. The keys are those at the start
// of the loop; an element deleted meanwhile is skipped. Elements whose key is NaN come first,
// each once, in no particular order, with the values at the start. EachMap allocates at the start, for
// the keys and for the NaN elements if there are any; an iteration allocates nothing.
//
//spec:ftn12 §2.2.4 forEach; rule L4
func EachMap[K cmp.Ordered, V, T any](body step.Step[Item[K, V, T], T]) flow.Plan[map[K]V, T] {
	return build[table[K, V, T], map[K]V]("foreach", body, "EachMap: the body is nil", table[K, V, T]{})
}

type table[K cmp.Ordered, V, T any] struct {
	values map[K]V
	keys   []K
	nans   []V // values of the NaN keys, which come first: no lookup finds those keys
	next   int
}

func (t *table[K, V, T]) Open(in map[K]V) (start T) {
	t.values, t.nans, t.next = in, nil, 0
	t.keys = slices.Sorted(maps.Keys(in)) // NaN is sorted before all other keys
	if len(t.keys) > 0 && isNaN(t.keys[0]) {
		for key, value := range in {
			if isNaN(key) {
				t.nans = append(t.nans, value)
			}
		}
	}
	return start
}

func isNaN[K cmp.Ordered](key K) bool { return key != key } //nolint:gocritic // math.IsNaN takes no K

func (t *table[K, V, T]) Next(carry T, item *Item[K, V, T]) bool {
	for t.next < len(t.keys) {
		key := t.keys[t.next]
		t.next++
		if i := t.next - 1; i < len(t.nans) {
			*item = Item[K, V, T]{key, t.nans[i], carry}
			return true
		}
		if value, ok := t.values[key]; ok {
			*item = Item[K, V, T]{key, value, carry}
			return true
		}
	}
	return false
}
