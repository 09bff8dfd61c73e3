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

// loops makes and pools private loops. A run takes a loop only when it needs one, as a rule to wait for something.
type loops struct {
	options tool.Options
	idle    sync.Pool
	once    sync.Once  // makes host
	host    *tool.Host // see standIn
}

func newLoops(o tool.Options) *loops { return &loops{options: o} }

// standIn returns the host that takes reports for runs that have no loop yet. If the options have neither an error handler nor
// settings of the host, it is usercode.Nobody. Otherwise the host is made once, and applies Options.Host only at its first
// report.
func (p *loops) standIn() *tool.Host {
	if p.options.OnError == nil && len(p.options.Host) == 0 {
		return usercode.Nobody
	}
	p.once.Do(func() {
		report := sync.OnceValue(func() func(error) { return tool.NewManual(p.options).Host().Report })
		p.host = tool.NewHost(tool.TurnLimits{}, tool.WithOnError(func(err error) { report()(err) }))
	})
	return p.host
}

// ordinary are the private loops without options.
var ordinary = newLoops(tool.Options{})

// loop is a private loop in the form that its run sees: without the methods that drive
// it and end it.
type loop struct {
	tool.Tool
	loop *tool.Manual
	own  drive.Loop // loop, as a drive.Loop
	from *loops
	lent atomic.Pointer[loan] // the form given to user code; nil until Lend is called

	// These fields are set while the loop is driven.
	run *frame.Run
	ctx context.Context // nil once it need not be checked any more
}

// Enough implements drive.Until.
func (s *loop) Enough() bool {
	return s.run.HasEnded() || s.ctx != nil && s.ctx.Err() != nil
}

// take takes a loop from the pool, or makes one, for the run that the goroutine driver drives. From now on that goroutine
// counts as the loop's, except while it sleeps in ToEnd. The caller may be a coroutine of the driver, which must not count as
// the loop's, because it ends earlier.
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

// optional is set by the first call of WithOptions.
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

// Host returns the host that takes reports for runs under ctx as long as they have no loop. ownClock is true if their
// loops may have a clock of their own.
func Host(ctx context.Context) (host *tool.Host, ownClock bool) {
	if p := optionsIn(ctx); p != nil {
		return p.standIn(), len(p.options.Host) > 0
	}
	return usercode.Nobody, false
}

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
