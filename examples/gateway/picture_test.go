package main

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/picturetest"
)

// examples/README.md shows this picture.
func TestPicture(t *testing.T) {
	picturetest.Plan(t, "gateway", flow.Describe(newPlan(newBackends(nil, nil), wide(time.Second).guards())))
}
