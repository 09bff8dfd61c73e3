package stream_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestLetter(t *testing.T) {
	l := &stream.Letter[int]{Element: 7, Err: errOdd, Path: "0/func.1"}
	if got, want := l.Error(), "0/func.1: Odd: an odd number (element 7)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if fault.CodeOf(l) != "Odd" {
		t.Errorf("code %s", fault.CodeOf(l))
	}
}

// Lost tells that the stream has ended before the element was delivered. The error can't: here it is Timeout in both
// cases.
func TestLetterLost(t *testing.T) {
	var lost, failed []int
	limited := flow.Timeout(5*time.Millisecond, delayByValue)
	s := stream.Catch(stream.Through(stream.Slice[int](), stream.Bound{Limit: 2, Buffer: 1}, limited), func(err error) error {
		letter, _ := fault.AsType[*stream.Letter[int]](err)
		if !errors.Is(err, fault.Timeout) {
			t.Errorf("element %d: %v", letter.Element, err)
		}
		if letter.Lost {
			lost = append(lost, letter.Element)
		} else {
			failed = append(failed, letter.Element)
		}
		return nil
	})
	_, err := plantest.Run(t, flow.Timeout(8*time.Millisecond, stream.Count(s)), []int{10, 11, 12, 13, 14, 15})
	if !errors.Is(err, fault.Timeout) {
		t.Error(err)
	}
	wantInts(t, failed, 10, 11)
	wantInts(t, lost, 12, 13, 14)
}

// The text of a letter shows the beginning of a long element, in whole characters.
func TestLetterOfALongElement(t *testing.T) {
	for _, element := range []string{strings.Repeat("x", 3_000_000), strings.Repeat("é", 3_000_000)} {
		text := (&stream.Letter[string]{Element: element, Err: errOdd, Path: "0"}).Error()
		if len(text) > 400 || !strings.Contains(text, "…") || !utf8.ValidString(text) {
			t.Errorf("%d bytes: %.80s", len(text), text)
		}
	}
	if text := (&stream.Letter[string]{Element: "short", Err: errOdd, Path: "0"}).Error(); !strings.Contains(text, "(element short)") {
		t.Error(text)
	}
}

// V2: errors.As finds the outermost letter in an error or none.
func TestV2LetterHidesOthers(t *testing.T) {
	other := &stream.Letter[int]{Element: 3, Err: errOdd, Path: "0/func.1"}
	pathErr := &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	ended := fault.Wrap(fault.Cancelled, "ended", errors.Join(fmt.Errorf("because of %w", other), pathErr))
	ended.Secondary = []error{other, fs.ErrExist}
	lost := &stream.Letter[string]{Element: "4", Err: ended, Lost: true}
	for _, err := range []error{lost, fmt.Errorf("a run: %w", lost), fault.Wrap("Run", "", lost)} {
		if inner, ok := errors.AsType[*stream.Letter[int]](err); ok {
			t.Errorf("%v: the letter of %v was found", err, inner.Element)
		}
		if inner, ok := fault.AsType[*stream.Letter[int]](err); ok {
			t.Errorf("%v: the letter of %v was found", err, inner.Element)
		}
		if outer, ok := fault.AsType[*stream.Letter[string]](err); !ok || outer.Element != "4" {
			t.Errorf("%v: the letter isn't found", err)
		}
		for _, target := range []error{fault.Cancelled, errOdd, fs.ErrNotExist, fs.ErrExist} {
			if !errors.Is(err, target) {
				t.Errorf("%v isn't %v", err, target)
			}
		}
		if found, ok := errors.AsType[*fs.PathError](err); !ok || found != pathErr {
			t.Errorf("%v: the error beside the letter isn't found", err)
		}
	}
	if fault.CodeOf(lost) != fault.Cancelled {
		t.Errorf("code %s", fault.CodeOf(lost))
	}
	if inner, ok := fault.AsType[*stream.Letter[int]](lost.Err); !ok || inner != other {
		t.Error("Err has lost the letter")
	}
}

type circularError struct{ with error }

func (*circularError) Error() string { return "round" }

func (r *circularError) Unwrap() []error { return []error{r, r.with, r} }

func TestLetterOfAnErrorThatWrapsItself(t *testing.T) {
	l := &stream.Letter[string]{Err: &circularError{&stream.Letter[int]{Err: errOdd}}}
	if _, ok := fault.AsType[*stream.Letter[int]](l); ok {
		t.Error("found an inner letter")
	}
}

// A handler that puts its letter into the letter's own error makes a circle. The stream fails with it.
func TestLetterThatWrapsItself(t *testing.T) {
	s := stream.Catch(stream.Func(stream.Slice[int](), even), func(l *stream.Letter[int]) error {
		l.Err = fmt.Errorf("gave up: %w", l)
		return l
	})
	_, err := plantest.Run(t, stream.Count(s), []int{1})
	if elementOf(t, err) != 1 || fault.CodeOf(err) != fault.InternalError {
		t.Error(err)
	}
}
