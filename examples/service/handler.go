package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/mail"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// shop is the http.Handler of POST /orders.
type shop struct {
	loops *tool.Group
	quote flow.Plan[string, int]
	mail  *flow.Running[int] // the background worker
	jobs  chan<- Order       // its queue
}

// ServeHTTP implements http.Handler.
func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o, err := read(http.MaxBytesReader(w, r.Body, 1<<16)) // one JSON value with a valid mail address
	if err != nil {
		http.Error(w, "no order", http.StatusBadRequest)
		return
	}
	ctx := observe.WithAttrs(r.Context(), slog.String("item", o.Item)) // for the console
	run := flow.Start(ctx, s.loops.Next(), s.quote, o.Item)
	<-run.Done() // also if the client has gone: a handler ends after its run
	if o.Price, err = run.Result(); err != nil {
		if status(err) == http.StatusInternalServerError {
			slog.Error("a defect", "error", err)
		}
		http.Error(w, http.StatusText(status(err)), status(err))
		return
	}
	select {
	case s.jobs <- o:
		fmt.Fprintf(w, "costs %d\n", o.Price)
	case <-s.mail.Done(): // the worker was cancelled: nobody receives
		http.Error(w, "no mail", http.StatusServiceUnavailable)
	case <-r.Context().Done(): // the client is gone
	}
}

// read reads an order. It fails if anything follows the order, or if the mail address isn't valid.
func read(body io.Reader) (o Order, err error) {
	in := json.NewDecoder(body)
	if err = in.Decode(&o); err != nil {
		return o, err
	}
	if _, err = in.Token(); !errors.Is(err, io.EOF) {
		return o, errors.New("there is more than an order")
	}
	// Nothing but an address: a line break would add headers to the mail.
	if to, err := mail.ParseAddress(o.Mail); err != nil || to.Address != o.Mail {
		return o, errors.New("no mail address")
	}
	return o, nil
}

// status returns the HTTP status of an error. An error that isn't listed is a defect.
func status(err error) int {
	switch {
	case errors.Is(err, notFound):
		return http.StatusNotFound
	case errors.Is(err, fault.DefenseRejected): // the queue at the door is full
		return http.StatusTooManyRequests
	case errors.Is(err, tool.ErrShutdown), errors.Is(err, fault.Cancelled), errors.Is(err, syncx.CircuitOpen):
		return http.StatusServiceUnavailable
	case errors.Is(err, fault.Timeout):
		return http.StatusGatewayTimeout
	case errors.Is(err, errBackend):
		return http.StatusBadGateway
	}
	return http.StatusInternalServerError
}
