// Saga books trips with three services that know nothing of each other: if one
// of them fails, the bookings with the others are cancelled.
//
//	go run ./examples/saga
//
// starts the services on loopback and books the trips of trips.jsonl. In most of them a service is in trouble: then the
// bookings made so far are cancelled, in reverse order. One service never cancels, so its booking is left. For each trip it
// prints the requests to the services, the error with its way through the plan, and what is booked in the end.
//
// It shows compensation with flow.Saga and flow.Undo, and retries of compensations. Read saga.go first.
//
// Ctrl-C ends it: the trip under way is cancelled, and so are its bookings. The exit status is 1 if bookings
// don't agree with the result of the saga, or trips are left.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"strings"

	"github.com/futoin-go/asyncsteps/flow"
)

//go:embed trips.jsonl
var tripData []byte

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // the second signal has its usual effect
	w, trips, err := newWorld(tripData)
	if err == nil {
		server := httptest.NewServer(w) // on loopback
		err = bookAll(ctx, trips, w, server.Client(), server.URL, os.Stdout)
		server.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "saga:", err)
		os.Exit(1)
	}
}

// bookAll books trips with the services of w, which are at url. Its error names the trips whose bookings don't agree with the result
// of the saga, or is the cause of the end of ctx.
func bookAll(ctx context.Context, trips []string, w *world, client *http.Client, url string, out io.Writer) error {
	saga := newSaga(service{"flight", client, url}, service{"hotel", client, url}, service{"car", client, url})
	var wrong []error
	for _, trip := range trips {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		_, err := flow.Run(ctx, saga, trip)
		calls, booked := w.account(trip)
		fmt.Fprintf(out, "%s: %s\n", trip, strings.Join(calls, ", "))
		if err != nil {
			fmt.Fprintf(out, "%+v\n", err)
		}
		fmt.Fprintf(out, "booked: %s\n\n", strings.Join(booked, " "))
		if !agree(err, len(booked)) {
			wrong = append(wrong, fmt.Errorf("%s is booked with %q", trip, booked))
		}
	}
	return errors.Join(wrong...)
}

// agree reports whether a run that has ended with err may leave the given number of bookings.
func agree(err error, booked int) bool {
	switch {
	case err == nil:
		return booked == 3
	case errors.Is(err, stillBooked):
		return booked > 0
	default:
		return booked == 0
	}
}
