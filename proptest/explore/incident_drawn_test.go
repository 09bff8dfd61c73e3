package explore_test

import (
	"context"
	"errors"
	"flag"
	"regexp"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/tool"
)

var (
	incidents    = flag.Int("explore.incidents", 24, "how many failures of drawn programs TestIncidents reproduces")
	incidentSeed = flag.Uint64("explore.incidentseed", 1, "the first of their seeds")
)

var (
	errUser     = errors.New("the user has left")
	errOperator = errors.New("the operator has stopped it")
)

// produce runs the program of a seed on a real loop. It returns what was recorded, and the error, if any.
func produce(t *testing.T, seed uint64) ([]observe.Recording, error) {
	t.Helper()
	p := drawProduction(seed, true)
	recorder := observe.NewRecorder(100_000)
	ctx := observe.With(t.Context(), recorder)
	loop := tool.Start(tool.Options{})
	defer func() { _ = loop.Shutdown(context.Background()) }()
	runs := make([]*flow.Running[int], len(p.runs))
	for i, plan := range p.runs {
		runs[i] = flow.Start(ctx, loop, plan, 1)
		if d := p.cancels[i]; d > 0 {
			time.AfterFunc(d, func() { runs[i].Cancel(errUser) })
		}
	}
	hanging := time.AfterFunc(300*time.Millisecond, func() {
		for _, r := range runs {
			r.Cancel(errOperator)
		}
	})
	defer hanging.Stop()
	errs := make([]error, len(runs))
	for i, r := range runs {
		_, errs[i] = r.Wait(context.Background())
	}
	return recorder.Runs(), p.verdict(errs)
}

func reproducing(seed uint64) explore.Body {
	return func(x *explore.Trial) error {
		p := drawProduction(seed, false)
		runs := make([]*flow.Running[int], len(p.runs))
		for i, plan := range p.runs {
			runs[i] = explore.Start(context.Background(), x, plan, 1)
		}
		if err := x.Run(); err != nil {
			return err
		}
		errs := make([]error, len(runs))
		for i, r := range runs {
			_, errs[i] = r.Result()
		}
		return p.verdict(errs)
	}
}

// others finds the part of an error's text that counts the errors beside it: a test that follows an incident may lack some.
var others = regexp.MustCompile(` \(and \d+ more\)`)

// Failures of programs on a real loop become tests that fail in the same way. Recordings depend on the machine; some aren't
// followed to their end, which Follow reports.
func TestIncidents(t *testing.T) {
	failures, followed, short, exact := 0, 0, 0, 0
	delays := make([]int, 4)
	var longest, test time.Duration
	for seed := *incidentSeed; failures < *incidents; seed++ {
		runs, failed := produce(t, seed)
		if failed == nil {
			continue
		}
		failures++
		began := time.Now()
		r := explore.Follow(explore.FromRecorder(runs...), reproducing(seed))
		longest = max(longest, time.Since(began))
		switch {
		case r.Departed == nil && (r.Err == nil || others.ReplaceAllString(r.Err.Error(), "") != others.ReplaceAllString(failed.Error(), "")):
			t.Errorf("seed %d: the test fails with %v, the program failed with %v", seed, r.Err, failed)
		case r.Departed == nil:
			followed++
		case !errors.Is(r.Departed, explore.ErrDeparted):
			t.Errorf("seed %d: %v", seed, r.Departed)
		default:
			t.Logf("seed %d: %v", seed, r.Departed)
		}
		if r.Short == nil {
			t.Logf("seed %d: no short schedule fails with %v", seed, failed)
			continue
		}
		if r.Short.Err.Error() == failed.Error() {
			exact++
		} else {
			t.Logf("seed %d: the test to keep fails with %v, the program failed with %v", seed, r.Short.Err, failed)
		}
		began = time.Now()
		if err := explore.Replay(r.Short.Schedule, func(x *explore.Trial) error {
			x.Answers(r.Answers...)
			if r.Slow {
				x.Slow()
			}
			return reproducing(seed)(x)
		}); err == nil || err.Error() != r.Short.Err.Error() {
			t.Errorf("seed %d: the test to keep fails with %v, not %v", seed, err, r.Short.Err)
		}
		test = max(test, time.Since(began))
		short++
		delays[r.Short.Schedule.Delays()]++
	}
	t.Logf("%d failures: %d followed event by event, %d tests to keep, of which %v have 0, 1, 2, 3 delays, %d with the very same text; "+
		"the longest search took %v, the longest test %v", failures, followed, short, delays, exact, longest, test)
	if followed < failures*3/4 || short < failures*3/4 {
		t.Errorf("too few")
	}
}
