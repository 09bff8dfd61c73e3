package main

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/picturetest"
	"github.com/futoin-go/asyncsteps/syncx"
)

// examples/README.md shows this picture.
func TestPicture(t *testing.T) {
	calls := make([]backend, 2)
	for i := range calls {
		calls[i] = func(context.Context, string) (int, error) { return 0, nil }
	}
	picturetest.Plan(t, "service", flow.Describe(newQuote(syncx.NewMutex(1, 0), calls...)))
}
