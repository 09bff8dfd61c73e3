package explore

import (
	"context"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// draw is a trial under a schedule that was drawn.
type draw struct {
	answer func(q question) int
	total  *float64
	x      *Trial
	err    error
}

// run makes the trials, each on its own goroutine if there are several.
func (s *search) run(batch []draw) {
	if len(batch) == 1 {
		batch[0].try(s.body)
		return
	}
	all := make([]*draw, len(batch))
	for i := range batch {
		all[i] = &batch[i]
	}
	try := step.Await(func(_ context.Context, d *draw) (step.Unit, error) {
		d.try(s.body)
		return step.Unit{}, nil
	})
	if _, err := flow.Run(context.Background(), flow.ParEach(len(all), try), all); err != nil {
		panic(err) // the body has ended its goroutine
	}
}

func (d *draw) try(body Body) {
	d.x = newTrial(d.answer)
	d.err = body(d.x)
}
