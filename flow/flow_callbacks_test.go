package flow_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// contact is a place at which the library calls the user's code.
type contact struct {
	name   string
	effect effect
	exit   effect // of Goexit, if it differs from that of a panic

	// These make the library call do at the place. They may be nil.
	plan    func(do func()) step.Step[int, int]
	ctx     func(ctx context.Context, do func()) context.Context
	options func(o *tool.Options, do func())
	after   func(r *flow.Running[int], do func()) // for flow.Start only
}

// effect tells what becomes of the run if the code doesn't return.
type effect uint8

const (
	same   effect = iota // the run ends as it would have, and the panic is reported
	quiet                // the run ends as it would have, and a panic need not be reported
	thrown               // the step fails with the panic (E4)
	joined               // the panic is joined to the error that was on its way (E4)
	free                 // the run ends; the result is documented at the place
	bound                // like free, but the run may be refused, or not be observed
	noRun                // no run is started
)

type way struct {
	name string
	do   func()
}

var errBoom = errors.New("boom")

var (
	returns   = way{"return", func() {}}
	blocks    = way{"block", func() { time.Sleep(10 * time.Second) }}
	panicking = way{"panic", func() { panic(errBoom) }}
	leaves    = way{"Goexit", runtime.Goexit}
	tears     = way{"Goexit and panic", func() { // recover stops such a panic, and the goroutine ends all the same
		defer panic(errBoom)
		runtime.Goexit()
	}}
)

// exits reports whether the way ends the goroutine.
func (w way) exits() bool { return w.name == leaves.name || w.name == tears.name }

// Wherever the user's code is called, and whatever it does, the run ends, its result arrives, and the loop still
// turns. A panic has the effect that the contact names.
func TestShield(t *testing.T) {
	for _, c := range slices.Concat(stepContacts, combinatorContacts, leftContacts, errorContacts, contextContacts, loopContacts) {
		for setting := range 8 {
			s := setup{c, setting&1 != 0, setting&2 != 0, setting&4 != 0}
			if c.after != nil && s.run {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s", c.name, s), func(t *testing.T) {
				want := s.try(t, returns)
				for _, w := range []way{blocks, panicking, leaves, tears} {
					t.Run(w.name, func(t *testing.T) { s.judge(t, w, want, s.try(t, w)) })
				}
			})
		}
	}
}

type setup struct {
	contact
	run      bool // by flow.Run, otherwise by flow.Start on a loop
	observed bool
	last     bool // nothing follows in the plan
}

func (s setup) String() string {
	words := []string{"Start", "unobserved", "then a step"}
	for i, other := range []string{"Run", "observed", "last"} {
		if []bool{s.run, s.observed, s.last}[i] {
			words[i] = other
		}
	}
	return fmt.Sprint(words)
}

type outcome struct {
	started bool // the call that starts the run has returned
	out     int
	err     error
	ends    int // how often observers have seen the end
	told    []error
}

// try runs the plan once in a bubble. It fails the test if the run takes an hour.
func (s setup) try(t *testing.T, w way) (o outcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var over atomic.Bool // from then on calls by the test itself don't count
		defer over.Store(true)
		do := func() {
			if !over.Load() {
				w.do()
			}
		}
		told := new(errorLog)
		defer told.log()()
		options := tool.Options{OnError: told.add}
		if s.options != nil {
			s.options(&options, do)
		}
		loop := tool.Start(options)
		plan := s.plan
		if plan == nil {
			plan = func(func()) step.Step[int, int] { return plantest.Add(1) }
		}
		p := plan(do)
		if !s.last {
			p = flow.Then(p, plantest.Add(100))
		}
		ctx := context.Background()
		if s.observed {
			ctx = observe.With(ctx, countEnds(&o.ends))
		}
		if s.ctx != nil {
			ctx = s.ctx(ctx, do)
		}
		s.start(ctx, t, loop, p, do, &o)
		if v, err := flow.Start(context.Background(), loop, plantest.Add(1), 1).Wait(hourContext(t)); v != 2 || err != nil {
			t.Errorf("the loop doesn't turn: %v", err)
		}
		if err := loop.Shutdown(hourContext(t)); err != nil {
			t.Errorf("the loop doesn't end: %v", err)
		}
		time.Sleep(time.Hour) // goroutines with code that blocks may end later than the run
		o.told = told.all()
	})
	return o
}

// start starts p on a goroutine that the user's code may end, and waits for the result.
func (s setup) start(ctx context.Context, t *testing.T, loop *tool.Loop, p step.Step[int, int], do func(), o *outcome) {
	t.Helper()
	var r *flow.Running[int]
	called := make(chan struct{})
	go func() {
		defer close(called)
		if s.run {
			o.out, o.err = flow.Run(ctx, p, 1)
		} else {
			r = flow.Start(ctx, loop, p, 1)
			if s.after != nil {
				s.after(r, do)
			}
		}
		o.started = true
	}()
	select {
	case <-called:
	case <-hourContext(t).Done():
		t.Fatal("the call doesn't end")
	}
	if r == nil {
		return
	}
	if o.out, o.err = r.Wait(hourContext(t)); o.err == errLate { // errors.Is would call methods that are being tested
		t.Error("the result doesn't arrive")
	}
}

// judge compares the outcome of a run whose code did w with that of a run whose code returned.
func (s setup) judge(t *testing.T, w way, want, got outcome) {
	t.Helper()
	effect := s.effect
	if w.exits() && s.exit != same {
		effect = s.exit
	}
	lost := w.exits() && (s.run || effect == noRun) && !got.started // the goroutine has ended without a result
	if s.observed && got.ends != want.ends && effect != bound && (!lost || effect != noRun) {
		t.Errorf("the end was told %d times, want %d", got.ends, want.ends)
	}
	if lost {
		return
	}
	if w.name == blocks.name && effect != free && effect != bound {
		effect = quiet
	}
	_, carried := fault.AsType[*fault.Panic](got.err)
	switch effect {
	case thrown:
		if fault.CodeOf(got.err) != fault.InternalError || w.name == panicking.name && !carried {
			t.Errorf("ended with %v, want the %s", got.err, w.name)
		}
	case joined:
		if fault.CodeOf(got.err) != fault.CodeOf(want.err) || w.name == panicking.name && !carried {
			t.Errorf("ended with %v, want %v and the %s", got.err, want.err, w.name)
		}
	case same, quiet:
		if got.out != want.out || fault.CodeOf(got.err) != fault.CodeOf(want.err) {
			t.Errorf("ended with %d, %v, want %d, %v", got.out, got.err, want.out, want.err)
		}
	default:
	}
	if effect == same && len(got.told) == len(want.told) {
		t.Errorf("nobody is told of the %s", w.name)
	}
}

var errLate = errors.New("an hour is over")

func hourContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Hour, errLate)
	t.Cleanup(cancel)
	return ctx
}

func countEnds(n *int) observe.Observer {
	return observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			if e.Kind == observe.RunEnd {
				*n++
			}
		}
	})
}

// log makes r the default log, until restore is called.
func (r *errorLog) log() (restore func()) {
	former := slog.Default()
	slog.SetDefault(slog.New(logRecords{slog.DiscardHandler, r}))
	return func() { slog.SetDefault(former) }
}

type logRecords struct {
	slog.Handler
	to *errorLog
}

func (logRecords) Enabled(context.Context, slog.Level) bool { return true }

func (l logRecords) Handle(_ context.Context, r slog.Record) error {
	l.to.add(errors.New(r.Message))
	return nil
}

func block(d time.Duration) { time.Sleep(d) }
