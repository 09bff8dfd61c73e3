package stream_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// delays returns the bound of a search of schedules, a lower one if the test is short or runs with the race detector.
func delays() int {
	if testing.Short() || racetest.Enabled {
		return 1
	}
	return 2
}

var errOdd = fault.New("Odd", "an odd number")

func double(v int) int { return 2 * v }

func even(v int) (int, error) {
	if v%2 != 0 {
		return 0, errOdd
	}
	return v, nil
}

func wantElements[In, T any](t *testing.T, s stream.Stream[In, T], in In, want ...T) {
	t.Helper()
	got, err := plantest.Run(t, stream.Collect(s), in)
	if err != nil {
		t.Fatalf("failed: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
}

func wantInts(t *testing.T, got []int, want ...int) {
	t.Helper()
	if len(got) == 0 && len(want) == 0 {
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
}

// wantRefused checks that err says why a plan can't be run, and where it was built.
func wantRefused(t *testing.T, err error, want string) {
	t.Helper()
	if !errors.Is(err, fault.InvalidRequest) || !strings.Contains(fmt.Sprint(err), want) || !strings.Contains(fmt.Sprint(err), "_test.go:") {
		t.Errorf("Err is %v, want %q with the place", err, want)
	}
}

type letterRecorder struct{ all []string }

func (l *letterRecorder) take(err error) error {
	letter, ok := fault.AsType[*stream.Letter[int]](err)
	if !ok {
		return err
	}
	l.all = append(l.all, fmt.Sprint(letter.Element, " ", fault.CodeOf(err)))
	return nil
}

func (l *letterRecorder) want(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, l.all); diff != "" {
		t.Errorf("letters (-want +got):\n%s", diff)
	}
}

func elementOf(t *testing.T, err error) int {
	t.Helper()
	letter, ok := fault.AsType[*stream.Letter[int]](err)
	if !ok {
		t.Fatalf("%v is no letter", err)
	}
	return letter.Element
}

// delayByValue returns its input after as many milliseconds.
var delayByValue = step.New(func(as step.Scope, in int) step.Next[int] {
	return step.Wait(as, func(done step.Done[int]) {
		timer, _ := as.Loop().Deferred(time.Duration(in)*time.Millisecond, func() { done.Succeed(in) })
		as.SetCancel(func() { as.Loop().Cancel(timer) })
	})
})
