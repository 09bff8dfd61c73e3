package stream_test

import (
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/stream"
)

// Named names the last operator, or the source. The outer one of two names counts.
func TestNamed(t *testing.T) {
	var o progressRecorder
	source := stream.Named("numbers", stream.Slice[int]())
	s := stream.Named("twice", stream.Named("not this one", stream.Map(source, double)))
	if err := runObserved(t, &o, stream.Count(s), []int{1, 2}); err != nil {
		t.Fatal(err)
	}
	last := o.lines[len(o.lines)-1]
	for _, part := range []string{"| numbers: ", "| twice: ", "| count.2: "} {
		if !strings.Contains(last, part) {
			t.Errorf("%q isn't in %q", part, last)
		}
	}
}

func TestNamedChangesNoElements(t *testing.T) {
	wantElements(t, stream.Named("twice", stream.Map(stream.Slice[int](), double)), []int{1, 2}, 2, 4)
}
