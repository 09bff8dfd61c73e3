package stream

import (
	"context"
	"sync"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Run is like flow.Run, and also tells what the streams of the run have done, even if the run fails. As io.Copy
// does, it returns the result of the sink so far. It also counts elements. So the caller of a copy that was
// interrupted knows how many bytes were written:
//
//	bytes, counts, err := stream.Run(ctx, stream.Write(lines, 1000, file), from)
//
// s may be the plan of a sink, or a plan with streams in it. If the run succeeds, Run returns its result. Otherwise it
// returns what a sink has so far: the elements of a Collect, the value of a Fold, the number of a Count, the bytes of a
// Write, what the body of a Consume has returned. If several sinks have results of type Out, Run returns that of the sink
// that has ended last. If none has, Run returns the zero Out.
//
// The counts are sums over the streams of the run, including streams that are opened on single elements of others.
// Counts.Out leaves out elements that operators have dropped, that a Catch has taken, or that are Lost.
//
// Errors, cancellation and concurrency are those of flow.Run.
func Run[In, Out any](ctx context.Context, s step.Step[In, Out], in In) (Out, Counts, error) {
	x := new(ran[Out])
	if ctx != nil {
		ctx = context.WithValue(ctx, sumsKey{}, x)
	}
	out, err := flow.Run(ctx, s, in)
	if err != nil {
		out = x.result()
	}
	return out, x.sums.counts(), err
}

type sums struct {
	stages Progress // counts of all stages but the sinks; elements that a sink has taken have passed
	sinks  Progress
}

func (s *sums) counts() Counts {
	all, sinks := s.stages.Counts(), s.sinks.Counts()
	all.Out -= sinks.Lost
	all.Lost += sinks.Lost
	return all
}

type sumsKey struct{}

// summing is a *ran[Out] whose Out isn't known.
type summing interface{ all() *sums }

// ran holds the counts and the latest result of the streams of one run.
type ran[Out any] struct {
	sums sums

	mu  sync.Mutex // streams may run on several loops
	out Out        // the result of the sink that has ended last
}

func (x *ran[Out]) all() *sums { return &x.sums }

// keep stores the result of end, a sink that has been closed. If x is nil it does nothing.
func (x *ran[Out]) keep(end outlet[Out]) {
	if x != nil {
		x.mu.Lock()
		x.out = end.result()
		x.mu.Unlock()
	}
}

func (x *ran[Out]) result() Out {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.out
}

// reportTo makes r report its result to the Run that ctx belongs to, and returns the sums of that Run. It returns nil if there
// is no such Run.
func (r *opened[Out]) reportTo(ctx context.Context) *sums {
	to, ok := ctx.Value(sumsKey{}).(summing)
	if !ok {
		return nil
	}
	r.ran, _ = to.(*ran[Out])
	return to.all()
}
