package stream

import (
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Partition is [Through] for elements that have keys: those of one key run through the steps one after the
// other, in their order, while those of other keys run beside them. So the results of each key are in order
// even with a Bound that is Unordered. An element that waits for another one of its key counts as buffered.
//
// key is called on the loop, once for each element, and must not block. If it panics, the panic is the error of the
// element. An element whose key differs from itself, like NaN, fails with InvalidRequest. A nil key is reported by
// flow.Plan.Err.
func Partition[In, A, B any, K comparable](s Stream[In, A], b Bound, key func(A) K, steps step.Step[A, B]) Stream[In, B] {
	stage := op.Given(steps, "partition: the steps are nil")
	run := crews(stage)
	return after("partition", s, first(b.bad(), missing(key == nil, "the key")), func(e env, up inlet[A]) inlet[B] {
		c := newCrew(e, up, b, run)
		c.keys = &keys[A, K]{key: key, active: make(map[K][]int32)}
		return c
	}, stage.Node()).with(b.parameters)
}

type keys[A any, K comparable] struct {
	key    func(A) K
	of     []K           // the key of each entry; the zero K for an entry without one
	active map[K][]int32 // for each key with an element under way, the entries that wait for their turn
}

func (k *keys[A, K]) enter(element A, i int32) (begins bool, err error) {
	key := k.key(element)
	if key != key { //nolint:gocritic // a key such as NaN, which no map would find again
		return false, errStrange
	}
	waiting, active := k.active[key]
	for int(i) >= len(k.of) {
		var none K
		k.of = append(k.of, none)
	}
	k.of[i] = key
	if active {
		k.active[key] = append(waiting, i)
		return false, nil
	}
	k.active[key] = nil
	return true, nil
}

var errStrange = fault.New(fault.InvalidRequest, "the key differs from itself")

func (k *keys[A, K]) leave(entry int32) (i int32, ok bool) {
	var none K
	key := k.of[entry]
	k.of[entry] = none
	waiting := k.active[key]
	if len(waiting) == 0 {
		delete(k.active, key)
		return 0, false
	}
	k.active[key] = waiting[1:]
	return waiting[0], true
}
