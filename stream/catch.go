package stream

import "errors"

// Catch gives the errors of single elements in s to handler, one at a time: letters for
// a dead-letter file, see [Letter]. If handler gives nil the stream goes on without the
// element. If it gives an error, the next Catch behind gets that one, and if there
// is none the stream fails with it.
//
// When the stream ends before all that was taken from its sources has been delivered, because of
// a failure, a cancel, or because nobody wants more, the elements that are left in s
// are given to handler too, as letters that are Lost. So handler hears of each element that s has
// taken and not passed on. What handler gives then is reported to the loop.
//
// Errors that aren't of an element, as of a source, make the stream fail; use flow.Catch
// around the sink for them. handler runs on the loop and must not block. If it panics, that is its
// error, joined with the one that it was given. A nil handler is reported by flow.Plan.Err.
func Catch[In, T any](s Stream[In, T], handler func(err error) error) Stream[In, T] {
	d := s.given("catch")
	under := Stream[In, T]{&design[In, T]{d.node, func(e env, in In) inlet[T] {
		outer, under := e.dead, e
		under.path = e.p.path + "/catch"
		e.dead = func(letter error) (err error) {
			if broken := under.call(func() { err = handler(letter) }); broken != nil {
				err = errors.Join(broken, letter)
			}
			if err != nil && outer != nil {
				err = outer(err)
			}
			return err
		}
		return d.open(e, in)
	}}}
	return after("catch", under, missing(handler == nil, "the handler"), func(_ env, up inlet[T]) inlet[T] { return up })
}
