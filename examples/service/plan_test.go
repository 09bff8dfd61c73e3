package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/syncx"
)

// broken returns a backend that fails the given number of calls, and then succeeds.
func broken(calls int) backend {
	return func(context.Context, string) (int, error) {
		if calls--; calls >= 0 {
			return 0, errBackend
		}
		return 7, nil
	}
}

// In virtual time it is known to the nanosecond how long an answer takes.
func TestQuote(t *testing.T) {
	for name, tt := range map[string]struct {
		backends []backend
		item     string
		price    int
		err      error
		took     time.Duration
	}{
		"the first answers":             {[]backend{shelf, stuck}, "teapot", 42, nil, 0},
		"the first is stuck":            {[]backend{stuck, shelf}, "teapot", 42, nil, 50 * time.Millisecond},
		"the first fails":               {[]backend{broken(1), shelf}, "teapot", 42, nil, 0},
		"both fail twice":               {[]backend{broken(2), broken(2)}, "teapot", 7, nil, 300 * time.Millisecond},
		"both fail":                     {[]backend{broken(9), broken(9)}, "teapot", 0, errBackend, 300 * time.Millisecond},
		"none has it":                   {[]backend{shelf, shelf}, "unicorn", 0, notFound, 0},
		"both are stuck, the retry too": {[]backend{stuck, stuck}, "teapot", 0, fault.Timeout, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				price, err := flow.Run(t.Context(), newQuote(syncx.NewMutex(1, 0), tt.backends...), tt.item)
				if took := time.Since(began); price != tt.price || !errors.Is(err, tt.err) || took != tt.took {
					t.Errorf("got %d, %v after %v", price, err, took)
				}
			})
		})
	}
}

// A backend that has failed five times in a row isn't called for a minute.
func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quote := newQuote(syncx.NewMutex(1, 0), broken(5))
		for _, want := range []error{errBackend, syncx.CircuitOpen} { // of attempts 1 to 3, and 4 to 6
			if _, err := flow.Run(t.Context(), quote, "teapot"); !errors.Is(err, want) {
				t.Errorf("got %v, not %v", err, want)
			}
		}
		time.Sleep(time.Minute)
		if price, err := flow.Run(t.Context(), quote, "teapot"); price != 7 {
			t.Errorf("after a minute: %v", err)
		}
	})
}

// A mail that can't be sent is tried five times, and others are sent.
func TestWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := make(chan Order, 3)
		for _, to := range []string{"ann", "nobody", "bob"} {
			jobs <- Order{Mail: to}
		}
		close(jobs)
		tries, lost := 0, ""
		sent, err := flow.Run(t.Context(), newWorker(func(_ context.Context, o Order) error {
			if o.Mail == "nobody" {
				tries++
				return errors.New("no such address")
			}
			return nil
		}, func(o Order, _ error) { lost += o.Mail }), jobs)
		if sent != 2 || err != nil || tries != 5 || lost != "nobody" {
			t.Errorf("%d sent, %v; %d tries, lost %q", sent, err, tries, lost)
		}
	})
}
