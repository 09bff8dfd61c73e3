package stream

import "github.com/futoin-go/asyncsteps/flow"

// Fold is a sink that accumulates a value. The first value is the result of start. For each element, f is given the
// value and the element, and returns the next value. The result of the sink is the last value.
//
// start is called once for each run. Both functions run on the loop and must not block. A panic of either fails the stream;
// the element that f was called with counts as lost. A nil function is reported by flow.Plan.Err.
func Fold[In, T, Acc any](s Stream[In, T], start func() Acc, f func(Acc, T) Acc) flow.Plan[In, Acc] {
	bad := missing(start == nil || f == nil, "a function")
	return sink("fold", s, bad, func(e env, up inlet[T], _ In) outlet[Acc] {
		return &folded[T, Acc]{hand: hand[T]{env: e, up: up}, acc: start(), f: f}
	})
}

type folded[T, Acc any] struct {
	hand[T]

	acc Acc
	f   func(Acc, T) Acc
	at  int // index in rest of the element that f is called with
}

func (d *folded[T, Acc]) pump() error {
	if err := d.fill(most); err != nil {
		return err
	}
	if err := d.call(d.all); err != nil {
		return err
	}
	d.rest = nil
	return nil
}

func (d *folded[T, Acc]) all() {
	acc, in := d.acc, d.rest
	defer func() { d.acc = acc }() // even if d.f panics or ends the goroutine: the elements before count as delivered
	for i, v := range in {
		d.at = i
		acc = d.f(acc, v)
	}
}

func (d *folded[T, Acc]) close(why error) {
	if len(d.rest) > 0 {
		d.rest = d.rest[d.at:]
	}
	d.hand.close(why)
}

func (d *folded[T, Acc]) result() Acc { return d.acc }
