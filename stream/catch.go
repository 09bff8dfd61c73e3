package stream

import "errors"

// Catch gives the errors of single elements in s to handler, one at a time, each as a [Letter]. handler may write them to a
// dead-letter file, for example. If handler returns nil the stream goes on without the element. If it returns an error, the
// next Catch behind gets that error, and if there is none the stream fails with it.
//
// The parameter of handler decides which letters it gets. A handler of *Letter[Row] gets the letters of stages
// that take rows; the others go to the next Catch behind. A handler of error gets all letters that reach it,
// and also the errors that the handlers before it have returned. The argument is the letter itself, not an error that wraps
// the letter, and errors.As finds no letter of another element in it.
//
// If the stream fails, is cancelled, or ends because nobody wants more, handler also gets the letters of the
// elements that are left in s. They are Lost, except those of elements that have failed. Of the errors and letters
// that the last Catch doesn't take then, the first 32 are reported to the loop.
//
// Errors that don't belong to an element, such as those of a source, make the stream fail; use flow.Catch
// around the sink for them. handler runs on the loop and must not block. If handler panics, that counts as if it had returned
// the panic joined with the letter. A nil handler, and one whose parameter is neither a letter nor an
// interface, are reported by flow.Plan.Err.
//
//spec:rules V1, V2
func Catch[In, T any, L error](s Stream[In, T], handler func(letter L) error) Stream[In, T] {
	d := s.given("catch")
	under := Stream[In, T]{&design[In, T]{d.node, func(e env, in In) inlet[T] {
		outer, under := e.dead, e
		under.path = e.p.path + "/catch"
		e.dead = func(letter error) error {
			err := letter
			if mine, takes := letter.(L); takes { //nolint:errorlint // the letter itself, not one inside of it
				if broken := under.call(func() { err = handler(mine) }); broken != nil {
					err = errors.Join(broken, letter)
				}
			}
			if err != nil && outer != nil {
				err = outer(err)
			}
			return err
		}
		return d.open(e, in)
	}}}
	bad := first(missing(handler == nil, "the handler"), takesLetters[L]())
	return after("catch", under, bad, func(_ env, up inlet[T]) inlet[T] { return up })
}

// takesLetters returns an error text if L is neither a letter nor an interface, and otherwise "".
func takesLetters[L error]() string {
	var none L
	if any(none) == nil { // an interface
		return ""
	}
	if _, ok := any(none).(lettered); ok {
		return ""
	}
	return "the parameter of the handler must be a *stream.Letter or an interface"
}
