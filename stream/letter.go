package stream

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/futoin-go/asyncsteps/fault"
)

// Letter is the error of one element: a stage couldn't process the element, or the stream has ended
// before the element was delivered. A [Catch] behind the stage gets the letter. Without a Catch the letter of an
// element that has failed is the error of the stream, and lost elements are only counted, see [Progress].
// If a stage that takes rows has failed,
//
//	letter, ok := fault.AsType[*stream.Letter[Row]](err)
//
// finds the letter of the row in the error of the stream.
type Letter[T any] struct {
	Element T      // the element, as the stage was given it
	Err     error  // why the element has failed, or, if it is lost, why the stream has ended
	Path    string // path of the stage; if steps for the element have failed, the path of these steps in the running plan

	// Lost is true if the stream has ended before the element was delivered. The element may have nothing to do with
	// the reason, which is in Err: ErrEnded, fault.Cancelled, the Timeout of a limit around the stream, or the error of
	// something else.
	Lost bool
}

// Error returns the path, the error, and the beginning of the element.
func (l *Letter[T]) Error() string {
	element := shown{room: shownBytes}
	fmt.Fprint(&element, l.Element)
	return fmt.Sprintf("%s: %v (element %s)", l.Path, l.Err, element.String())
}

const shownBytes = 256

type shown struct {
	strings.Builder

	room int
	cut  bool
}

func (s *shown) Write(p []byte) (int, error) {
	n := min(len(p), s.room)
	for n < len(p) && n > 0 && !utf8.RuneStart(p[n]) { // not in the middle of a character
		n--
	}
	s.room -= n
	s.Builder.Write(p[:n])
	if n < len(p) && !s.cut {
		s.room, s.cut = 0, true
		s.WriteString("…")
	}
	return len(p), nil
}

// Unwrap returns Err, so that errors.Is finds codes and declared errors. If Err wraps the letter of another element, for
// example an element of a stream that was opened on this one, Unwrap puts the error inside of that letter in the place of the
// letter. So errors.As finds no letter but the outermost one. Search Err itself for the others.
func (l *Letter[T]) Unwrap() error { return new(plain).of(l.Err) }

func (l *Letter[T]) reason() error { return l.Err }

// lettered is a [Letter] of any type.
type lettered interface {
	error
	reason() error
}

// plain replaces letters in errors. Its value is the number of errors with letters that it has looked at.
type plain int

// mostErrors is the largest number of errors with letters that plain looks at, so that an error that wraps
// itself causes no endless loop.
const mostErrors = 100

var errCircle = fault.New(fault.InternalError, "an error that wraps itself, or more than a hundred letters")

// of returns err with the error inside of each letter in the place of the letter. A fault.Error that wraps letters is
// copied; any other error that wraps letters is replaced by what it wraps.
func (n *plain) of(err error) error {
	if _, found := fault.AsType[lettered](err); !found {
		return err
	}
	if *n++; *n > mostErrors {
		return errCircle
	}
	switch e := err.(type) { //nolint:errorlint // each error that it wraps is looked at
	case lettered:
		return n.of(e.reason())
	case *fault.Error:
		c := *e
		c.Cause, c.Secondary = n.of(e.Cause), n.all(e.Secondary)
		return &c
	case interface{ Unwrap() []error }:
		return errors.Join(n.all(e.Unwrap())...)
	default:
		return n.of(errors.Unwrap(err))
	}
}

func (n *plain) all(errs []error) []error {
	plain := make([]error, len(errs))
	for i, err := range errs {
		plain[i] = n.of(err)
	}
	return plain
}

// ErrEnded is the error of an element that a stage has taken and that was lost because the stream ended early. A stream
// ends early, for example, when a Take has enough elements, the body of a Consume returns, or the range over All is left.
var ErrEnded = fault.New(fault.Cancelled, "the stream has ended before the element was delivered")

// fail gives the nearest Catch the letter of an element that a stage couldn't process. It returns nil if a Catch has taken
// the letter, and otherwise the error that the stream fails with. The handler may end the goroutine. So before a stage calls
// fail, it must have removed the element from its state, and passed on the results before the element.
func fail[T any](e env, element T, path string, err error) error {
	refusal := error(&Letter[T]{Element: element, Err: err, Path: path})
	defer func() { e.failed(refusal == nil) }() // even if a handler ends the goroutine
	if e.dead != nil {
		refusal = e.dead(refusal)
	}
	return refusal
}

// failed counts an element that has failed. dead is true if a Catch has taken its letter.
func (e env) failed(dead bool) {
	if dead {
		e.count(func(p *Progress) { p.dead.Add(1) })
	} else {
		e.count(func(p *Progress) { p.failed.Add(1) })
	}
	switch {
	case e.tally == nil:
	case dead:
		e.tally.count(&e.tally.Dead, 1)
	default:
		e.tally.count(&e.tally.Failed, 1)
	}
}

// failLater is fail for a stream that has ended. The nearest Catch gets the letter after all stages are closed.
func failLater[T any](e env, element T, path string, err error) {
	e.p.later(func() {
		if err := fail(e, element, path, err); err != nil && e.dead != nil {
			e.p.refused(err)
		}
	})
}

func (e env) lost(n int) {
	if n == 0 {
		return
	}
	e.count(func(p *Progress) { p.lost.Add(int64(n)) })
	if e.tally != nil {
		e.tally.count(&e.tally.Lost, n)
	}
}

// lose counts elements as lost. The nearest Catch gets their letters after all stages are closed.
func lose[T any](e env, elements []T, why error) {
	e.lost(len(elements))
	if e.dead == nil {
		return
	}
	for _, element := range elements {
		letter := &Letter[T]{Element: element, Err: why, Path: e.path, Lost: true}
		e.p.later(func() {
			if err := e.dead(letter); err != nil {
				e.p.refused(err)
			}
		})
	}
}
