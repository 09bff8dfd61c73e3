package temporal_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// counted is how far the run of a for-ever plan has come, with the keys of its calls.
type counted struct {
	N    int
	Keys []string
}

// A for-ever plan begins anew by itself whenever the server finds its history long, and goes on with the next turn. No turn is lost or
// done twice, and no signal.
func TestLoopBeginsAnew(t *testing.T) {
	s := serve(t, "--dynamic-config-value", "limit.historyCount.suggestContinueAsNew=40")
	count := step.Await(func(ctx context.Context, c counted) (counted, error) {
		return counted{c.N + 1, append(c.Keys, durable.Key(ctx))}, nil
	})
	heard := flow.Then(step.Map(func(counted) struct{} { return struct{}{} }), durable.Signal[int]("n"))
	turn := flow.Then(flow.Carry(heard), flow.Then(
		step.Map(func(p flow.Pair[counted, int]) counted { return counted{p.A.N + p.B - 1, p.A.Keys} }),
		flow.Then(count, step.Map(func(c counted) durable.Again[counted] {
			return durable.Again[counted]{In: c, More: len(c.Keys) < 50}
		}))))
	w := durable.New("counts", durable.Loop(turn))
	c := s.client()
	work(t, c, "counts", temporal.Of(w).Register)
	run, err := w.Start(within(t), temporal.Engine(c, "counts"), "c", counted{})
	for i := 1; err == nil && i <= 50; i++ {
		err = durable.Send(within(t), run, "n", i)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := run.Wait(within(t))
	last := ""
	if len(out.In.Keys) > 0 {
		last = out.In.Keys[len(out.In.Keys)-1]
	}
	if err != nil || out.More || out.In.N != 50*51/2 || len(slices.Compact(out.In.Keys)) != 50 || !strings.HasPrefix(last, "c~") {
		t.Errorf("got %v, %v", out, err)
	}
}
