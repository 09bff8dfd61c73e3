package private

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool"
)

// loops makes and pools private loops, for runs that their caller drives. A run takes a
// loop only when it needs one, as a rule to wait for something.
type loops struct {
	options tool.Options
	idle    sync.Pool
}

func newLoops(o tool.Options) *loops { return &loops{options: o} }

// ordinary are the private loops without options.
var ordinary = newLoops(tool.Options{})

// loop is a private loop in the form that its run sees: without the methods that drive
// it and end it.
type loop struct {
	tool.Tool
	loop *tool.Manual
	own  drive.Loop // loop, as a drive.Loop
	from *loops
	lent atomic.Pointer[loan] // the form given to user code; nil until user code asks for it

	// These fields are set while the loop is driven.
	run *frame.Run
	ctx context.Context // nil once it need not be checked any more
}

// Enough implements drive.Until.
func (s *loop) Enough() bool {
	return s.run.HasEnded() || s.ctx != nil && s.ctx.Err() != nil
}

// take takes a loop for the run that the goroutine driver drives. From now on that goroutine
// counts as the loop's, except while it sleeps in ToEnd. The caller may be a coroutine of
// the driver: it must not be taken for the goroutine of the loop, because it ends earlier.
func (p *loops) take(driver uint64) (tool.Tool, drive.Loop) {
	s, idle := p.idle.Get().(*loop)
	if !idle {
		m := tool.NewManual(p.options)
		s = &loop{Tool: m, loop: m, from: p}
		s.own, _ = drive.Of(m)
	}
	s.own.Seat().TakeAs(driver)
	return s, s.own
}

type optionsKey struct{}

// optional is set once any private loop has options.
var optional atomic.Bool

// WithOptions returns a context whose runs have private loops with the options o.
func WithOptions(ctx context.Context, o tool.Options) context.Context {
	optional.Store(true)
	return context.WithValue(ctx, optionsKey{}, newLoops(o))
}

// Options returns the options that WithOptions has put into ctx, the zero Options if there are none.
func Options(ctx context.Context) tool.Options {
	if p := optionsIn(ctx); p != nil {
		return p.options
	}
	return tool.Options{}
}

// OwnClock reports whether private loops of runs under ctx may have a clock of their own.
func OwnClock(ctx context.Context) bool {
	p := optionsIn(ctx)
	return p != nil && len(p.options.Host) > 0
}

// optionsIn returns the private loops whose options are in ctx, nil if there are none.
func optionsIn(ctx context.Context) *loops {
	if ctx == nil || !optional.Load() {
		return nil
	}
	p, _ := usercode.ValueOf(ctx, usercode.Nobody, optionsKey{}).(*loops)
	return p
}

// Spare returns a private loop for a run under ctx that the goroutine driver drives.
func Spare(ctx context.Context, driver uint64) (tool.Tool, drive.Loop) {
	if p := optionsIn(ctx); p != nil {
		return p.take(driver)
	}
	return ordinary.take(driver)
}
