package main

import (
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/picturetest"
)

// examples/README.md shows this picture.
func TestPicture(t *testing.T) {
	picturetest.Plan(t, "quote", flow.Describe(newTestService().plan))
}
