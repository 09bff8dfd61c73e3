package stream

import "iter"

// Seq is a source: it gives the elements of its input, an iterator.
//
// The iterator runs on the loop and must not block; [Generate] is for one that does. It may be
// endless: it is asked only for elements that there is room for, and is at most a few hundred
// ahead of the stages behind it. It is stopped however the stream ends. If it panics, the
// stream fails after the elements before. A nil iterator is an empty one.
func Seq[T any]() Stream[iter.Seq[T], T] {
	return from("seq", "", func(e env, in iter.Seq[T]) inlet[T] {
		return pulled(e, func(give func(T) bool) error {
			if in != nil {
				in(give)
			}
			return nil
		})
	})
}

// Seq2 is [Seq] for an iterator that may fail: its first error that isn't nil ends the
// stream, which fails with it after the elements before.
func Seq2[T any]() Stream[iter.Seq2[T, error], T] {
	return from("seq2", "", func(e env, in iter.Seq2[T, error]) inlet[T] {
		return pulled(e, func(give func(T) bool) (failed error) {
			if in == nil {
				return nil
			}
			for v, err := range in {
				if err != nil {
					return err
				}
				if !give(v) {
					break
				}
			}
			return nil
		})
	})
}

// puller is a coroutine that pulls a chunk at a time out of an iterator, so that coroutines are switched for
// each chunk and not for each element.
type puller[T any] struct {
	env

	next  func() (unit, bool)
	stop  func()
	chunk []T   // its length is the greatest number of elements
	n     int   // number of elements in chunk
	kept  bool  // chunk has elements that weren't passed on, because the iterator has ended the goroutine
	err   error // the error that the iterator has ended with
	over  bool
}

func pulled[T any](e env, run func(give func(T) bool) error) inlet[T] {
	p := &puller[T]{env: e}
	p.next, p.stop = iter.Pull(func(yield func(unit) bool) {
		p.err = run(func(v T) bool {
			n := p.n
			p.chunk[n] = v
			p.n = n + 1
			return n+1 < len(p.chunk) || yield(unit{})
		})
	})
	return p
}

func (p *puller[T]) poll(room int) ([]T, error) {
	if !p.over {
		if cap(p.chunk) < room {
			p.chunk = make([]T, room)
		}
		p.n, p.chunk, p.kept = 0, p.chunk[:room], true
		more := false
		if err := p.call(func() { _, more = p.next() }); err != nil {
			p.err = err
		}
		p.over, p.kept = !more, false
		if p.n > 0 {
			p.taken(p.n)
			return p.chunk[:p.n], nil
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	return nil, errOver
}

func (p *puller[T]) close(why error) {
	if p.kept {
		p.taken(p.n)
		lose(p.env, p.chunk[:p.n], why)
	}
	if err := p.call(p.stop); err != nil {
		p.p.refused(err)
	}
}
