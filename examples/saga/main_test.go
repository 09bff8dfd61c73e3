package main

import (
	"errors"
	"net/http"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestMalformedTrips(t *testing.T) {
	if _, trips, err := newWorld([]byte(`{"trip":"T"} {"trip":`)); err == nil || len(trips) != 1 {
		t.Errorf("got %q, %v", trips, err)
	}
}

// A booking whose answer gets lost has been made nevertheless.
func TestLostAnswer(t *testing.T) {
	w, _, err := newWorld([]byte(`{"trip":"T","trouble":{"hotel":"lost"}}`))
	if err != nil {
		t.Fatal(err)
	}
	s := service{"hotel", &http.Client{Transport: direct{w}}, ""}
	if err := s.book(t.Context(), "T"); !errors.Is(err, errLost) {
		t.Errorf("got %v", err)
	}
	if _, booked := w.account("T"); len(booked) != 1 {
		t.Errorf("booked: %q", booked)
	}
}
