package debug

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

const (
	// period is how often histories are sampled, and pages updated.
	period = time.Second

	// maxSamples is how many samples a history has: those of five minutes.
	maxSamples = 300
)

// Run keeps the histories of guards and loops, a sample each second, and takes the flight records of [Options.Flight], until ctx
// ends or Close is called. It returns the cause of ctx, or nil after Close; a nil ctx gives InvalidRequest. Give it a goroutine
// of its own:
//
//	go d.Run(ctx)
//
// Without it histories are sampled only while a page with live updates is open, and there are no flight records. Several calls
// share the work.
func (h *Handler) Run(ctx context.Context) error {
	if ctx == nil {
		return fault.New(fault.InvalidRequest, "the context is nil")
	}
	h.watch()
	defer h.unwatch()
	for {
		h.sample()
		more, err := h.pause(ctx, h.book.failures.wake)
		if !more {
			return err
		}
		h.book.failures.take(h.book.options.Clock())
	}
}

// pause waits for a period, or until wake has a value. more is false if ctx has ended, and err is the cause then. more is also
// false if the Handler is closed.
func (h *Handler) pause(ctx context.Context, wake <-chan struct{}) (more bool, err error) {
	more, err = flow.Run(plain{ctx}, paused, sleeper{wake, h.closing})
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case fault.Is(err, fault.Timeout):
		return true, nil
	default:
		return more, err
	}
}

type sleeper struct{ wake, closing <-chan struct{} }

var paused = flow.Timeout(period, step.Await(func(ctx context.Context, s sleeper) (more bool, err error) {
	select {
	case <-s.closing:
		return false, nil
	case <-s.wake:
		return true, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}))

// plain is a context without values, so that runs under it aren't observed.
type plain struct{ context.Context }

func (plain) Value(any) any { return nil }

func (h *Handler) watch() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watching++
}

// unwatch withdraws the probes when no page and no call of Run needs the histories any more.
func (h *Handler) unwatch() {
	h.mu.Lock()
	h.watching--
	last := h.watching == 0
	h.mu.Unlock()
	if !last {
		return
	}
	_, loops := h.shown()
	for _, l := range loops {
		l.withdraw()
	}
}

// sample adds a sample to the histories if a new period has begun.
func (h *Handler) sample() {
	now := h.book.options.Clock()
	h.mu.Lock()
	due := !h.sampled || now/period != h.lastSample/period
	if due {
		h.sampled, h.lastSample = true, now
	}
	h.mu.Unlock()
	if !due {
		return
	}
	guards, loops := h.shown()
	for _, g := range guards {
		g.sample(now)
	}
	for _, l := range loops {
		l.sample()
	}
}
