package main

import (
	"context"
	"net/http"

	"github.com/futoin-go/asyncsteps/fault"
)

// refused is the code for a booking that a service doesn't make.
const refused fault.Code = "Refused"

// service makes and cancels bookings. Both requests may be repeated, because PUT and DELETE state the wanted result. A PUT that is
// overtaken by its DELETE must not book.
type service struct {
	name   string
	client *http.Client
	at     string // URL
}

func (s service) book(ctx context.Context, trip string) error {
	return s.call(ctx, http.MethodPut, trip)
}

func (s service) cancel(ctx context.Context, trip string) error {
	return s.call(ctx, http.MethodDelete, trip)
}

func (s service) call(ctx context.Context, method, trip string) error {
	req, err := http.NewRequestWithContext(ctx, method, s.at+"/"+trip+"/"+s.name, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return fault.Wrap(fault.CommError, s.name, err)
	}
	_ = resp.Body.Close() // the status says it all
	switch {
	case resp.StatusCode == http.StatusConflict:
		return fault.New(refused, s.name+": "+resp.Status)
	case resp.StatusCode >= http.StatusMultipleChoices:
		return fault.New(fault.CommError, s.name+": "+resp.Status)
	}
	return nil
}
