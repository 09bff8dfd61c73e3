package bench

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func openOurs(t testing.TB, path string) run {
	t.Helper()
	return oursOn(t, path, sqlite.Options{})
}

func openRelaxed(t testing.TB, path string) run {
	t.Helper()
	return oursOn(t, path, sqlite.Options{Relaxed: true})
}

func oursOn(t testing.TB, path string, options sqlite.Options) run {
	t.Helper()
	next := func() step.Step[int, int] {
		return step.Await(func(_ context.Context, n int) (int, error) { return n + 1, nil })
	}
	w := durable.New("counts", flow.Chain(next(), next(), next(), next(), next(), next(), next(), next(), next(), next()))
	f, err := sqlite.Open(t.Context(), path, options, w)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return func(ctx context.Context, id string) (int, error) {
		r, err := w.Start(ctx, f.Engine(), id, 0)
		if err != nil {
			return 0, err
		}
		return r.Wait(ctx)
	}
}
