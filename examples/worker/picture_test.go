package main

import (
	"io"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/picturetest"
)

// examples/README.md shows this picture.
func TestPicture(t *testing.T) {
	w := &worker{options: options{rate: 1, limit: time.Second}, spool: &spool{}, stop: t.Context(), out: io.Discard}
	picturetest.Plan(t, "worker", flow.Describe(w.plan()))
}
