package stream_test

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

// countdown returns a step whose pages have as many items as the cursor; the next cursor is one lower, down to zero.
func countdown(asked *int) step.Step[int, stream.Page[int, int]] {
	return flow.Then(step.Delay[int](time.Millisecond), step.Func(func(_ step.Scope, n int) (stream.Page[int, int], error) {
		*asked++
		if n < 0 {
			return stream.Page[int, int]{}, errOdd
		}
		return stream.Page[int, int]{Items: plantest.Ints(n), Next: n - 1, More: n > 0}, nil
	}))
}

func TestPages(t *testing.T) {
	asked := 0
	s := stream.Pages(countdown(&asked))
	plantest.WantResult(t, stream.Collect(s), 3, []int{0, 1, 2, 0, 1, 0})
	if asked != 4 {
		t.Errorf("asked for %d pages", asked)
	}
	plantest.WantResult(t, stream.Count(s), 400, 400*401/2)
}

func TestPagesMeasured(t *testing.T) {
	asked := 0
	var p stream.Progress
	plantest.WantResult(t, stream.Count(stream.Measure(stream.Pages(countdown(&asked)), &p)), 400, 400*401/2)
	if c := p.Counts(); c != (stream.Counts{In: 400 * 401 / 2, Out: 400 * 401 / 2}) {
		t.Errorf("counted %+v", c)
	}
}

// A page is requested when its items are wanted.
func TestPagesEndEarly(t *testing.T) {
	asked := 0
	plantest.WantResult(t, stream.Collect(stream.Take(stream.Pages(countdown(&asked)), 3)), 3, []int{0, 1, 2})
	if asked != 1 {
		t.Errorf("asked for %d pages", asked)
	}
}

func TestPagesFail(t *testing.T) {
	asked := 0
	fails := stream.Pages(flow.Then(countdown(&asked), step.Map(func(p stream.Page[int, int]) stream.Page[int, int] {
		p.More = true
		return p
	})))
	seen := 0
	each := stream.ForEach(stream.Catch(fails, func(error) error { return nil }), func(int) error { seen++; return nil })
	if _, err := plantest.Run(t, each, 2); !errors.Is(err, errOdd) || seen != 3 || elementOf(t, err) != -1 {
		t.Errorf("%d items, %v", seen, err)
	}
}

func TestPagesCancelled(t *testing.T) {
	asked := 0
	l, run := plantest.Start(t, stream.Count(stream.Pages(countdown(&asked))), 1000)
	l.Advance(1)
	run.Cancel(nil)
	l.Run()
	if _, err := run.Result(); !errors.Is(err, fault.Cancelled) || l.Pending() != 0 {
		t.Errorf("%v, %d callbacks are left", err, l.Pending())
	}
}
