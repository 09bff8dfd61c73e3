package sqlite

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

type counted struct {
	N   int
	Key string // of the last call
}

// A run begins anew when its history has become long, also if the file is closed and opened meanwhile.
func TestLoopBeginsAnew(t *testing.T) {
	stop := make(chan struct{}, 1)
	count := step.Await(func(ctx context.Context, c counted) (counted, error) {
		if c.N == 6000 {
			select {
			case stop <- struct{}{}:
				<-ctx.Done()
				return c, context.Cause(ctx)
			default: // the body is called again
			}
		}
		return counted{c.N + 1, durable.Key(ctx)}, nil
	})
	w := durable.New("counts", durable.Loop(flow.Then(count, step.Map(func(c counted) durable.Again[counted] {
		return durable.Again[counted]{In: c, More: c.N < 10_000}
	}))))
	path := filepath.Join(t.TempDir(), "app.db")
	f, err := Open(t.Context(), path, Options{Relaxed: true}, w)
	if err == nil {
		_, err = w.Start(t.Context(), f.Engine(), "c", counted{})
	}
	if err != nil {
		t.Fatal(err)
	}
	<-stop
	stop <- struct{}{}
	if err = f.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f, err = Open(t.Context(), path, Options{Relaxed: true}, w); err != nil {
		t.Fatal(err)
	}
	out, err := w.Attach(f.Engine(), "c").Wait(t.Context())
	if err != nil || out.More || out.In != (counted{10_000, "c~2/1/1#1808"}) {
		t.Errorf("got %+v, %v", out, err)
	}
	h, err := f.Operator().History(t.Context(), "c")
	if err != nil || len(h.Events) > 2000 {
		t.Errorf("%d events, %v", len(h.Events), err)
	}
	if err = Replay(w, h); err != nil {
		t.Error(err)
	}
	if err = f.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
