package main

import (
	"io"
	"testing"
	"testing/fstest"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/picturetest"
)

// examples/README.md shows this picture.
func TestPicture(t *testing.T) {
	picturetest.Plan(t, "index", flow.Describe(newPlan(fstest.MapFS{}, 16, newBar(io.Discard))))
}
