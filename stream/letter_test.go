package stream_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
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
