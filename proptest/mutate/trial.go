package main

import (
	"context"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// verdict names the suite that has killed a mutant; killer is "" if the mutant survives.
type verdict struct {
	mutant int
	killer string
}

// try tries the chosen mutants, several at a time: with the mutant switched on, it runs the tests that reach the place of the
// mutant, until one fails. It calls add with each verdict, one call at a time.
func try(ctx context.Context, builds []build, mutants []*mutant, chosen []int, all []testCase, workers int, add func(verdict)) error {
	one := flow.Then(
		step.Await(func(ctx context.Context, i int) (verdict, error) {
			m := mutants[i]
			killer, err := builds[m.build].killer(ctx, i, batches(all, m.place))
			return verdict{i, killer}, err
		}),
		step.Map(func(v verdict) verdict {
			add(v)
			return v
		}),
	)
	_, err := flow.Run(ctx, flow.ParEach(workers, one), chosen)
	return err
}

// killer returns the first suite whose tests fail with mutant i, or "". Tests that also fail without the mutant don't count: the
// machine is too busy for their limit, or they are flaky.
func (b build) killer(ctx context.Context, i int, all []batch) (string, error) {
	for _, t := range all {
		limit := 5*time.Second + 10*t.took // a mutant that takes longer counts as an endless loop
		if b.run(ctx, t.tests, limit, "MUTANT="+strconv.Itoa(i)).passed {
			continue
		}
		if b.run(ctx, t.tests, limit).passed {
			return t.suite, nil
		}
		if err := context.Cause(ctx); err != nil {
			return "", err
		}
	}
	return "", nil
}
