package main

import (
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/picturetest"
)

// examples/README.md shows this picture.
func TestPicture(t *testing.T) {
	plan := newSaga(service{"flight", nil, ""}, service{"hotel", nil, ""}, service{"car", nil, ""})
	picturetest.Plan(t, "saga", flow.Describe(plan))
}
