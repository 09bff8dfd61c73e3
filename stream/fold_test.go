package stream_test

import (
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestFold(t *testing.T) {
	sum := func(acc, v int) int { return acc + v }
	s := stream.Slice[int]()
	plantest.WantResult(t, stream.Fold(s, func() int { return 10 }, sum), plantest.Ints(1000), 10+999*500)
	plantest.WantResult(t, stream.Fold(s, func() int { return 10 }, sum), nil, 10)
	wantRefused(t, stream.Fold(s, nil, sum).Err(), "fold: a function is nil")
	wantRefused(t, stream.Fold(s, func() int { return 0 }, nil).Err(), "fold: a function is nil")
}

func TestFoldPanics(t *testing.T) {
	var l letterRecorder
	s := stream.Catch(stream.Slice[int](), l.take)
	div := func(acc, v int) int { return acc + 6/(v-2) }
	if _, err := plantest.Run(t, stream.Fold(s, func() int { return 0 }, div), plantest.Ints(4)); !errors.Is(err, fault.InternalError) {
		t.Errorf("got %v", err)
	}
}
