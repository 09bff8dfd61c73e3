package durable_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

type progressOfRun struct {
	N   int
	Key string // of the last call
}

func counts(to int) step.Step[progressOfRun, durable.Again[progressOfRun]] {
	return flow.Then(step.Await(func(ctx context.Context, c progressOfRun) (progressOfRun, error) {
		return progressOfRun{c.N + 1, durable.Key(ctx)}, nil
	}),
		step.Map(func(c progressOfRun) durable.Again[progressOfRun] {
			return durable.Again[progressOfRun]{In: c, More: c.N < to}
		}))
}

func TestLocalLoop(t *testing.T) {
	w := durable.New("counts", durable.Loop(counts(10_000)))
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		run, err := w.Start(t.Context(), on, "c", progressOfRun{})
		if err != nil {
			t.Fatal(err)
		}
		out, err := run.Wait(t.Context())
		if err != nil || out.More || out.In.N != 10_000 || !strings.HasPrefix(out.In.Key, "c~2/") || !strings.HasSuffix(out.In.Key, "#1808") {
			t.Errorf("got %v, %v", out, err)
		}
	})
}

func TestLoop(t *testing.T) {
	fails := step.Func(func(_ step.Scope, n int) (durable.Again[int], error) {
		if n == 3 {
			return durable.Again[int]{}, errDeclined
		}
		return durable.Again[int]{In: n + 1, More: true}, nil
	})
	if _, err := flow.Run(t.Context(), durable.Loop(fails), 0); !errors.Is(err, errDeclined) {
		t.Errorf("got %v", err)
	}
	if out, err := flow.Run(t.Context(), durable.Loop(counts(5000)), progressOfRun{}); out.In.N != 5000 || err != nil {
		t.Errorf("got %v, %v", out, err)
	}
	if err := durable.New("nil", durable.Loop[int](nil)).Err(); err == nil {
		t.Error("a nil turn is accepted")
	}
}
