package stream_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestCatch(t *testing.T) {
	var l letterRecorder
	plantest.WantResult(t, stream.Collect(stream.Catch(stream.Func(stream.Slice[int](), even), l.take)), plantest.Ints(5), []int{0, 2, 4})
	l.want(t, "1 Odd", "3 Odd")
}

func TestCatchCovers(t *testing.T) {
	var l letterRecorder
	s := stream.Func(stream.Catch(stream.Slice[int](), l.take), even)
	_, err := plantest.Run(t, stream.Collect(s), plantest.Ints(5))
	if elementOf(t, err) != 1 {
		t.Errorf("got %v", err)
	}
}

// Letters that the inner Catch refuses go to the outer one.
func TestCatchNested(t *testing.T) {
	var inner, outer letterRecorder
	s := stream.Catch(stream.Func(stream.Slice[int](), even), func(err error) error {
		if letter, _ := fault.AsType[*stream.Letter[int]](err); letter.Element == 3 {
			return err
		}
		return inner.take(err)
	})
	plantest.WantResult(t, stream.Collect(stream.Catch(s, outer.take)), plantest.Ints(5), []int{0, 2, 4})
	inner.want(t, "1 Odd")
	outer.want(t, "3 Odd")
}

func TestCatchRefuses(t *testing.T) {
	other := fault.New("Other", "another error")
	s := stream.Catch(stream.Func(stream.Slice[int](), even), func(error) error { return other })
	if _, err := plantest.Run(t, stream.Collect(s), []int{0, 1}); !errors.Is(err, other) {
		t.Errorf("got %v", err)
	}
}

func TestCatchPanics(t *testing.T) {
	s := stream.Catch(stream.Func(stream.Slice[int](), even), func(error) error { panic("no letter") })
	loop := tooltest.New() // not a loop of plantest, which would fail the test if something is reported
	if _, err := plantest.Wait(t, loop, flow.Start(t.Context(), loop, stream.Collect(s), plantest.Ints(5))); !errors.Is(err, fault.InternalError) ||
		elementOf(t, err) != 1 {
		t.Errorf("got %v", err)
	}
	// the handler was called for the elements that were left, too
	if errs := loop.Errors(); len(errs) != 1 || !errors.Is(errs[0], fault.InternalError) {
		t.Errorf("reported: %v", errs)
	}
}

// When a stream fails, the handler gets letters of the elements that the stage before it has taken and not processed.
func TestCatchHearsOfTheRest(t *testing.T) {
	var l letterRecorder
	s := stream.Catch(stream.Func(stream.Slice[int](), even), func(err error) error {
		_ = l.take(err)
		if errors.Is(err, errOdd) && !errors.Is(err, fault.Cancelled) && len(l.all) == 1 {
			return err // of the first odd number
		}
		return nil
	})
	if _, err := plantest.Run(t, stream.Collect(s), plantest.Ints(4)); elementOf(t, err) != 1 {
		t.Errorf("got %v", err)
	}
	l.want(t, "1 Odd", "2 Odd", "3 Odd")
}

func TestCatchRefusesAtTheEnd(t *testing.T) {
	s := stream.Catch(stream.Func(stream.Slice[int](), even), func(err error) error { return err })
	loop := tooltest.New()
	flow.Start(t.Context(), loop, stream.Collect(s), plantest.Ints(4))
	loop.Run()
	if errs := loop.Errors(); len(errs) != 1 || elementOf(t, errs[0]) != 2 {
		t.Errorf("reported: %v", errs)
	}
}

// V2: a handler gets the letters of its type, each as its argument. An element that is lost because another one has
// failed has a letter of its own, which wraps the error of the other.
func TestV2HandlerGetsItsLetter(t *testing.T) {
	var bad, lost []string
	numbers := stream.Func(stream.Slice[string](), strconv.Atoi)
	broken := stream.Func(stream.Through(numbers, stream.Bound{Limit: 1, Buffer: 9}, delayByValue), func(v int) (int, error) {
		if v == 3 {
			return 0, errOdd
		}
		return v, nil
	})
	s := stream.Catch(broken, func(letter *stream.Letter[string]) error {
		bad = append(bad, letter.Element)
		return nil
	})
	s = stream.Catch(s, func(letter *stream.Letter[int]) error {
		if !letter.Lost {
			return letter
		}
		lost = append(lost, strconv.Itoa(letter.Element))
		if !errors.Is(letter, errOdd) {
			t.Errorf("the reason is %v", letter.Err)
		}
		return nil
	})
	_, err := plantest.Run(t, stream.Count(s), []string{"1", "two", "3", "4", "five", "6"})
	if elementOf(t, err) != 3 {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([][]string{{"two", "five"}, {"4", "6"}}, [][]string{bad, lost}); diff != "" {
		t.Errorf("letters (-want +got):\n%s", diff)
	}
}

// V2: a handler of error gets the letters that no handler before it takes, and the errors of those handlers.
func TestV2HandlerOfAnyError(t *testing.T) {
	var heard []string
	hear := func(err error) error {
		heard = append(heard, fault.InfoOf(err))
		return nil
	}
	full := fault.New("Full", "the disk is full")
	numbers := stream.Map(stream.Func(stream.Slice[string](), strconv.Atoi), func(v int) int { return 6 / v })
	s := stream.Catch(numbers, func(*stream.Letter[string]) error { return full })
	plantest.WantResult(t, stream.Collect(stream.Catch(s, hear)), []string{"1", "two", "0", "3"}, []int{6, 2})
	if len(heard) != 2 || heard[0] != "the disk is full" || !strings.Contains(heard[1], "panicked") {
		t.Errorf("heard %q", heard)
	}
}

func TestLostLetterOfNoHandler(t *testing.T) {
	s := stream.Catch(stream.Through(stream.Slice[int](), stream.Bound{Limit: 2}, delayByValue), func(*stream.Letter[string]) error { return nil })
	loop := tooltest.New()
	run := flow.Start(t.Context(), loop, stream.Count(s), []int{5, 6})
	loop.Advance(0)
	run.Cancel(nil)
	loop.Run()
	if errs := loop.Errors(); len(errs) != 1 || elementOf(t, errs[0]) != 5 {
		t.Errorf("reported: %v", errs)
	}
}
