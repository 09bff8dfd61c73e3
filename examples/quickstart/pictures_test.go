package main

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/browsertest"
	"github.com/futoin-go/asyncsteps/internal/picturetest"
	"github.com/futoin-go/asyncsteps/observe"
)

// The README shows a picture of this plan.
func TestPictureOfPlan(t *testing.T) { picturetest.Plan(t, "quickstart", flow.Describe(trip)) }

// The README shows the page of its run in the console.
func TestPictureOfConsole(t *testing.T) {
	picturetest.Wanted(t)
	console := debug.New(debug.Options{})
	pages := httptest.NewServer(console)
	defer pages.Close()
	if _, err := flow.Run(observe.With(t.Context(), console), trip, "Oslo"); !errors.Is(err, fault.Timeout) {
		t.Fatal(err)
	}
	b := browsertest.New(t)
	b.Look(1280, 856, false)
	b.Open(pages.URL + "/run?id=1")
	picturetest.Page(t, "console", b)
}
