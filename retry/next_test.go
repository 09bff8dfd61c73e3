package retry_test

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/retry"
)

func TestNextRetry(t *testing.T) {
	const s = time.Second
	var told int
	bounded := retry.Policy{
		Pause: s, Elapsed: time.Nanosecond, Budget: retry.NewBudget(0, 0),
		OnRetry: func(int, error, time.Duration) { told++ },
	}
	for _, tt := range []struct {
		reason  string
		policy  retry.Policy
		attempt int
		err     error
		pause   time.Duration // below zero: no other attempt
	}{
		{"the zero Policy", retry.Policy{}, 2, errDown, 0},
		{"the last attempt", retry.Policy{}, 3, errDown, -1},
		{"more attempts than there may be now", retry.Policy{}, 9, errDown, -1},
		{"the only attempt", retry.Policy{Tries: 1}, 1, errDown, -1},
		{"any number of attempts", retry.Policy{Tries: -1, Pause: s, Factor: 2, MaxPause: time.Hour}, math.MaxInt, errDown, time.Hour},
		{"longer and longer", retry.Policy{Tries: 10, Pause: s, Factor: 2, MaxPause: time.Hour}, 9, errDown, 256 * s},
		{"an error that would come again", retry.Policy{}, 1, lasting(true), -1},
		{"an error that isn't chosen", retry.Policy{If: func(error) bool { return false }}, 1, errDown, -1},
		{"a pause that the error asks for", retry.Policy{Pause: s}, 1, asking(9 * s), 9 * s},
		{"a longer one", retry.Policy{Pause: s}, 1, asking(time.Hour), -1},
		{"a function", retry.Policy{PauseAfter: func(attempt int, err error) time.Duration {
			if !errors.Is(err, errDown) {
				return 0
			}
			return time.Duration(attempt) * s
		}}, 2, errDown, 2 * s},
		{"no error", retry.Policy{}, 1, nil, -1},
		{"what depends on a run", bounded, 1, errDown, s},
	} {
		pause, again := tt.policy.NextRetry(tt.attempt, tt.err)
		if again != (tt.pause >= 0) || again && pause != tt.pause || !again && pause != 0 {
			t.Errorf("%s: %v, %v; want %v", tt.reason, pause, again, tt.pause)
		}
	}
	if told != 0 {
		t.Error("OnRetry was called")
	}
}

// Attempts that are counted elsewhere have the pauses of those of a run.
func TestNextRetryIsAsOf(t *testing.T) {
	for _, p := range []retry.Policy{
		{}, {Tries: 1}, {Tries: 6, Pause: time.Second, Factor: 1.5, MaxPause: 3 * time.Second},
		{Tries: 5, PauseAfter: func(n int, _ error) time.Duration { return time.Duration(3 - n) }},
	} {
		var all []time.Duration
		for n := 1; ; n++ {
			pause, again := p.NextRetry(n, errDown)
			if !again {
				break
			}
			all = append(all, pause)
		}
		if want := pauses(t, p); !slices.Equal(all, want) {
			t.Errorf("%+v: %v, want %v", p, all, want)
		}
	}
}

func TestNextRetryIsRandom(t *testing.T) {
	p := retry.Policy{Pause: time.Second, Jitter: 0.25}
	least, most := time.Hour, time.Duration(0)
	for range 1000 {
		pause, _ := p.NextRetry(1, errDown)
		least, most = min(least, pause), max(most, pause)
	}
	if least < 750*time.Millisecond || least > 800*time.Millisecond || most > time.Second || most < 950*time.Millisecond {
		t.Errorf("drawn from %v to %v", least, most)
	}
}
