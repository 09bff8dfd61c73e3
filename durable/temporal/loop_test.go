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

type progressOfRun struct {
	N    int
	Keys []string
}

// The run begins anew when the server finds its history long, and continues with the next turn. No turn is lost or done twice, and
// no signal is lost.
func TestLoopBeginsAnew(t *testing.T) {
	s := serve(t, "--dynamic-config-value", "limit.historyCount.suggestContinueAsNew=40")
	count := step.Await(func(ctx context.Context, c progressOfRun) (progressOfRun, error) {
		return progressOfRun{c.N + 1, append(c.Keys, durable.Key(ctx))}, nil
	})
	heard := flow.Then(step.Map(func(progressOfRun) struct{} { return struct{}{} }), durable.Signal[int]("n"))
	turn := flow.Then(flow.Carry(heard), flow.Then(
		step.Map(func(p flow.Pair[progressOfRun, int]) progressOfRun { return progressOfRun{p.A.N + p.B - 1, p.A.Keys} }),
		flow.Then(count, step.Map(func(c progressOfRun) durable.Again[progressOfRun] {
			return durable.Again[progressOfRun]{In: c, More: len(c.Keys) < 50}
		}))))
	w := durable.New("counts", durable.Loop(turn))
	c := s.client()
	work(t, c, "counts", temporal.Of(w).Register)
	run, err := w.Start(withinLimit(t), temporal.Engine(c, "counts"), "c", progressOfRun{})
	for i := 1; err == nil && i <= 50; i++ {
		err = durable.Send(withinLimit(t), run, "n", i)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := run.Wait(withinLimit(t))
	last := ""
	if len(out.In.Keys) > 0 {
		last = out.In.Keys[len(out.In.Keys)-1]
	}
	if err != nil || out.More || out.In.N != 50*51/2 || len(slices.Compact(out.In.Keys)) != 50 || !strings.HasPrefix(last, "c~") {
		t.Errorf("got %v, %v", out, err)
	}
}
