package stream

import (
	"context"
	"errors"
	"math"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/step"
)

// outlet is the last stage of a stream, its sink, in one run, on the goroutine of the run's loop.
type outlet[Out any] interface {
	// pump takes a chunk from the stage before. It returns nil if there may be more, and otherwise errIdle, errOver,
	// or the error that the stream fails with.
	pump() error
	// result returns the result when pump has returned errOver. After close it returns the result as far as it has come.
	result() Out
	// close is like inlet.close.
	close(why error)
}

// sink makes the plan of a sink. The tasks of the stream run in a race with its driver, so that they are left when
// the driver has ended.
func sink[In, T, Out any](
	kind string, s Stream[In, T], bad string, open func(e env, up inlet[T], in In) outlet[Out], holds ...*plan.Node,
) flow.Plan[In, Out] {
	d := s.given(kind)
	alone := driver[Out]()
	beside := flow.Race(alone, helpers[Out]())
	beside.Stage().Node().Inner = true
	body := step.New(func(as step.Scope, in In) step.Next[Out] {
		r := &opened[Out]{shared: trunk{loop: as.Loop(), path: as.Path()}}
		r.trunk = &r.shared
		r.onPost, r.resume, r.park = r.posting, r.goOn, r.parking
		e := env{p: &r.pipe}
		ctx := as.Context()
		var sums *sums
		if outer, inside := any(in).(interface{ around() env }); inside { // a FlatMap has opened the stream
			around := outer.around()
			e.dead, e.meter, e.tally = around.dead, around.meter, around.tally
		} else {
			r.observe(as.Place())
			if sums = r.reportTo(ctx); sums != nil {
				e.meter = &metered{&sums.stages, nil}
			}
		}
		step.StackCleanup(as, func(*unit) { r.tell(as) })
		step.StackCleanup(as, func(*unit) { r.close(ctx) }) // runs before tell, and even if open ends the goroutine
		up := d.open(e, in)
		e = e.at(kind, 1)
		if sums != nil {
			up, e.meter = &meter[T]{up, &sums.stages}, &metered{&sums.sinks, nil}
		}
		failing := &unopened[Out]{closeUp: up.close}
		r.end = failing
		failing.err = e.call(func() { r.end = open(e, up, in) })
		if r.told != nil {
			e.tally.of(r.end)
			e.tally.sink = true
		}
		if len(r.tasks) == 0 {
			return step.Into(as, alone, r)
		}
		return step.Into(as, beside, r)
	})
	around := op.Around(kind, body.Stage(), append([]*plan.Node{d.node}, holds...)...)
	if bad != "" {
		around.Node().Reject(kind + ": " + bad)
	}
	return flow.Of(around)
}

// unopened is the outlet of a stream whose sink could not be opened.
type unopened[Out any] struct {
	err     error
	closeUp func(error)
}

func (x *unopened[Out]) pump() error { return x.err }

func (*unopened[Out]) result() (none Out) { return none }

func (x *unopened[Out]) close(why error) { x.closeUp(why) }

// opened is one run of a stream, with its outlet.
type opened[Out any] struct {
	pipe

	shared trunk

	end    outlet[Out] // nil until the stages before are open
	ran    *ran[Out]   // gets the result as far as it has come; nil if nobody asks for that
	parked step.Done[Out]
	park   func(step.Done[Out])
}

func (r *opened[Out]) parking(done step.Done[Out]) { r.parked, r.waits = done, true }

func (r *opened[Out]) goOn() {
	var zero Out
	r.parked.Succeed(zero)
}

func driver[Out any]() flow.Plan[*opened[Out], Out] {
	turn := step.New(turn[Out]).Stage()
	loop := op.Loop[pumping[Out], *opened[Out], *opened[Out], Out]("drive", turn, pumping[Out]{})
	turn.Node().Inner, loop.Node().Inner = true, true
	return flow.Of(loop)
}

func turn[Out any](as step.Scope, r *opened[Out]) step.Next[Out] {
	r.ready = false
	err := r.end.pump()
	if r.told != nil {
		r.told.turn()
	}
	switch {
	case err == errOver: //nolint:errorlint // it isn't wrapped
		r.over = true
		return step.Succeed(r.end.result())
	case err != nil && err != errIdle: //nolint:errorlint // it isn't wrapped
		return step.Fail[Out](err)
	case err == nil || r.ready:
		var zero Out
		return step.Succeed(zero)
	default:
		return step.Wait(as, r.park)
	}
}

type pumping[Out any] struct{ r *opened[Out] }

func (s *pumping[Out]) Open(r *opened[Out]) (start Out) {
	s.r = r
	return start
}

func (s *pumping[Out]) Next(_ Out, item **opened[Out]) bool {
	*item = s.r
	return !s.r.over
}

// helpers makes the plan of the tasks of a pipe. It is left when the driver has ended.
func helpers[Out any]() flow.Plan[*opened[Out], Out] {
	return flow.Then(
		step.Map(func(r *opened[Out]) []task { return r.tasks }),
		flow.Then(tasks, step.New(func(as step.Scope, _ []unit) step.Next[Out] { return step.Wait[Out](as, nil) })),
	)
}

var tasks = flow.ParEach(math.MaxInt, step.New(func(as step.Scope, t task) step.Next[unit] { return t.begin(as) }))

// close closes the stages, however the stream has ended.
func (r *opened[Out]) close(ctx context.Context) {
	if r.end == nil {
		return // the stages that were opened are closed already
	}
	why := error(ErrEnded)
	if !r.over {
		switch why = context.Cause(ctx); why {
		case nil:
			why = fault.Cancelled
		case context.Canceled, context.DeadlineExceeded: //nolint:errorlint // an error that wraps one of them stays as it is
			why = fault.Wrap(fault.CodeOf(why), "the stream was cancelled", why)
		}
	}
	defer r.ran.keep(r.end) // even if closing ends the goroutine
	r.end.close(why)
}

// tell gives the letters of the elements that were left, and then reports the end of the stream.
func (r *opened[Out]) tell(as step.Scope) {
	if len(r.last) > 0 {
		step.StackCleanup(as, func(*unit) { r.tell(as) }) // a cleanup, so that tell goes on if a handler ends the goroutine
		for len(r.last) > 0 {
			give := r.last[0]
			r.last = r.last[1:]
			give()
		}
		return
	}
	if r.told != nil {
		r.told.end()
	}
	if len(r.refusals) > 0 {
		usercode.HostOf(r.loop).Report(errors.Join(r.refusals...))
	}
}
