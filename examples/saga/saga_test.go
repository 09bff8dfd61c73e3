package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
)

// direct is an http.RoundTripper that calls the handler without a network, so that a whole run can be in the virtual time of
// synctest.
type direct struct{ http.Handler }

func (d direct) RoundTrip(r *http.Request) (answer *http.Response, err error) {
	w := httptest.NewRecorder()
	defer func() {
		if recover() != nil { // the handler has panicked with http.ErrAbortHandler
			answer, err = nil, errLost
		}
	}()
	d.ServeHTTP(w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

const errLost = fault.Code("lost")

// K5: bookings are cancelled newest first, one after the other; then the run ends with the error.
func TestSaga(t *testing.T) {
	w, trips, err := newWorld(tripData)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: direct{w}}
	saga := newSaga(service{"flight", client, ""}, service{"hotel", client, ""}, service{"car", client, ""})
	const (
		book   = "PUT flight, PUT hotel, PUT car"
		cancel = ", DELETE car, DELETE hotel, DELETE flight"
		insist = ", DELETE car, DELETE hotel, DELETE hotel, DELETE hotel, DELETE flight"
	)
	for i, want := range []struct {
		code   fault.Code
		calls  string
		booked string
		took   time.Duration
	}{
		{"", book, "flight hotel car", 0},
		{refused, book + cancel, "", 0},
		{fault.CommError, "PUT flight, PUT hotel, DELETE hotel, DELETE flight", "", 0},
		{fault.Timeout, book + cancel, "", callLimit},
		{refused, book + insist, "", 0},
		{refused, book + insist, "hotel", 0},
	} {
		t.Run(trips[i], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				_, err := flow.Run(t.Context(), saga, trips[i])
				if got := fault.CodeOf(err); got != want.code {
					t.Errorf("got %+v, want %s", err, want.code)
				}
				if still := fault.Is(err, stillBooked); still != (want.booked != "" && err != nil) {
					t.Errorf("still booked: %t in %+v", still, err)
				}
				calls, booked := w.account(trips[i])
				if got := strings.Join(calls, ", "); got != want.calls {
					t.Errorf("the calls were %s\nwant %s", got, want.calls)
				}
				if got := strings.Join(booked, " "); got != want.booked {
					t.Errorf("booked: %s", got)
				}
				if took := time.Since(began); took != want.took {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// The result is the first error, even if a cancellation fails.
func TestErrorIsKept(t *testing.T) {
	w, _, err := newWorld([]byte(`{"trip":"T","trouble":{"car":"full","hotel":"deaf"}}`))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: direct{w}}
	saga := newSaga(service{"flight", client, ""}, service{"hotel", client, ""}, service{"car", client, ""})
	_, err = flow.Run(t.Context(), saga, "T")
	text := fmt.Sprintf("%+v", err)
	for _, part := range []string{"Refused: car: 409", "StillBooked: hotel is not cancelled", "503"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in %s", part, text)
		}
	}
}

func TestBookedTwice(t *testing.T) {
	w, trips, err := newWorld([]byte(`{"trip":"T"} {"trip":"T"}`))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := bookAll(t.Context(), trips, w, &http.Client{Transport: direct{w}}, "", &out); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// Ctrl-C: the trip that is being booked is cancelled with its bookings, and the next one isn't begun.
func TestInterrupt(t *testing.T) {
	w, trips, err := newWorld(tripData)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	interrupted := direct{http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/T-2/hotel" {
			cancel()
		}
		w.ServeHTTP(answer, r)
	})}
	var out strings.Builder
	if err := bookAll(ctx, trips, w, &http.Client{Transport: interrupted}, "", &out); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	if calls, booked := w.account("T-2"); len(calls) != 4 || booked != nil {
		t.Errorf("T-2: %q, booked: %q", calls, booked)
	}
	if strings.Contains(out.String(), "T-3") {
		t.Errorf("it went on:\n%s", out.String())
	}
}

// The program reports a trip whose services have confirmed cancellations without carrying them out.
func TestDisagreement(t *testing.T) {
	w, trips, err := newWorld([]byte(`{"trip":"T","trouble":{"car":"full"}} {"trip":"U"}`))
	if err != nil {
		t.Fatal(err)
	}
	liar := direct{http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			w.ServeHTTP(answer, r)
		}
	})}
	var out strings.Builder
	err = bookAll(t.Context(), trips, w, &http.Client{Transport: liar}, "", &out)
	if err == nil || err.Error() != `T is booked with ["flight" "hotel"]` {
		t.Errorf("got %v", err)
	}
}

// A lost answer leads to the cancellation of its booking on a real network too.
func TestOnLoopback(t *testing.T) {
	w, trips, err := newWorld([]byte(`{"trip":"T","trouble":{"hotel":"lost"}} {"trip":"U"}`))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(w)
	defer server.Close()
	var out strings.Builder
	if err := bookAll(t.Context(), trips, w, server.Client(), server.URL, &out); err != nil {
		t.Error(err)
	}
	calls, _ := w.account("T")
	if !slices.Contains(calls, "DELETE hotel") || !strings.Contains(out.String(), "CommError: hotel") {
		t.Errorf("calls %q\n%s", calls, out.String())
	}
}
