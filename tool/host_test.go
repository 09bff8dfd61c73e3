package tool_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/futoin-go/asyncsteps/tool"
)

func TestHostAttach(t *testing.T) {
	h, other := tool.NewHost(tool.TurnLimits{}), tool.NewHost(tool.TurnLimits{})
	registration := &tool.Registration{Stop: func(error) {}}
	for _, c := range []struct {
		reason       string
		host         *tool.Host
		registration *tool.Registration
		want         error
		live         int
	}{
		{"nil registration", h, nil, tool.ErrNoStop, 0},
		{"a registration that can't be stopped", h, &tool.Registration{}, tool.ErrNoStop, 0},
		{"first", h, registration, nil, 1},
		{"twice", h, registration, tool.ErrAttached, 1},
		{"elsewhere meanwhile", other, registration, tool.ErrAttached, 0},
		{"a second registration", h, &tool.Registration{Stop: func(error) {}}, nil, 2},
	} {
		if err := c.host.Attach(c.registration); !errors.Is(err, c.want) || c.host.Live() != c.live {
			t.Errorf("%s: error %v, %d live; want %v, %d", c.reason, err, c.host.Live(), c.want, c.live)
		}
	}
	other.Detach(registration) // does nothing, because it isn't registered there
	h.Detach(nil)
	if h.Live() != 2 {
		t.Errorf("%d live after a foreign Detach, want 2", h.Live())
	}
	h.Detach(registration)
	h.Detach(registration)
	if h.Live() != 1 {
		t.Errorf("%d live after Detach, want 1", h.Live())
	}
	if err := other.Attach(registration); err != nil {
		t.Errorf("attach again elsewhere: %v", err)
	}
}

func TestHostDrain(t *testing.T) {
	h := tool.NewHost(tool.TurnLimits{})
	registration := &tool.Registration{Stop: func(error) {}}
	if err := h.Attach(registration); err != nil {
		t.Fatal(err)
	}
	drained := h.Drain()
	if err := h.Attach(&tool.Registration{Stop: func(error) {}}); !errors.Is(err, tool.ErrShutdown) {
		t.Errorf("attach while draining: %v", err)
	}
	select {
	case <-drained:
		t.Error("drained while a registration lives")
	default:
	}
	h.Detach(registration)
	<-drained
	<-h.Drain()
	<-tool.NewHost(tool.TurnLimits{}).Drain() // closed at once, because the host is empty
}

// M10: while a host drains it registers what its own registrations ask for, until it is stopped or none is left.
func TestM10AttachForWhileDraining(t *testing.T) {
	fresh := func() *tool.Registration { return &tool.Registration{Stop: func(error) {}} }
	h, other := tool.NewHost(tool.TurnLimits{}), tool.NewHost(tool.TurnLimits{})
	asks, load := fresh(), fresh()
	if err := h.AttachFor(asks, other); err != nil {
		t.Fatal(err) // it doesn't drain yet: anybody may ask
	}
	drained := h.Drain()
	for asker, want := range map[*tool.Host]error{h: nil, other: tool.ErrShutdown, nil: tool.ErrShutdown} {
		r := fresh()
		if err := h.AttachFor(r, asker); !errors.Is(err, want) {
			t.Errorf("asked by the host %p of %p: %v, want %v", asker, h, err, want)
		}
		h.Detach(r)
	}
	if err := h.AttachFor(asks, h); !errors.Is(err, tool.ErrAttached) {
		t.Errorf("twice: %v", err)
	}
	if err := h.AttachFor(load, h); err != nil {
		t.Fatal(err)
	}
	h.Detach(asks)
	select {
	case <-drained:
		t.Error("drained while a load lives")
	default:
	}
	h.Detach(load)
	<-drained
	if err := h.AttachFor(load, h); !errors.Is(err, tool.ErrShutdown) || h.Stopped() {
		t.Errorf("attached when nobody is left to ask: %v, stopped: %t", err, h.Stopped())
	}

	stopped := tool.NewHost(tool.TurnLimits{})
	if err := stopped.Attach(asks); err != nil {
		t.Fatal(err)
	}
	if stopped.Stopped() {
		t.Error("stopped before Stop")
	}
	stopped.Stop(errors.New("patience is over"))
	if err := stopped.AttachFor(load, stopped); !errors.Is(err, tool.ErrShutdown) || !stopped.Stopped() {
		t.Errorf("attached after Stop: %v, %t", err, stopped.Stopped())
	}
}

func TestHostStop(t *testing.T) {
	var reported collector[error]
	h := tool.NewHost(tool.TurnLimits{}, tool.WithOnError(reported.add))
	cause := errors.New("cause")
	var stopped collector[string]
	attach := func(name string, stop func(*tool.Registration)) {
		registration := new(tool.Registration)
		registration.Stop = func(err error) {
			if err != cause {
				t.Errorf("%s: stopped with %v", name, err)
			}
			stopped.add(name)
			stop(registration)
		}
		if err := h.Attach(registration); err != nil {
			t.Fatal(err)
		}
	}
	attach("stays", func(*tool.Registration) {})
	attach("leaves", h.Detach)
	attach("panics", func(*tool.Registration) { panic("boom") })
	attach("stops all", func(*tool.Registration) { h.Stop(cause) })
	attach("last", func(*tool.Registration) {})
	if told := h.Stop(cause); told != 5 {
		t.Errorf("told %d registrations, want 5", told)
	}
	wantOrder(t, stopped.all(), "stays", "leaves", "panics", "stops all", "last")
	if h.Live() != 4 {
		t.Errorf("%d live, want 4: those that didn't leave", h.Live())
	}
	if errs := reported.all(); len(errs) != 1 {
		t.Errorf("reported %v, want one panic", errs)
	}
	if told := h.Stop(cause); told != 0 {
		t.Errorf("told %d registrations a second time", told)
	}
	if err := h.Attach(&tool.Registration{Stop: func(error) {}}); !errors.Is(err, tool.ErrShutdown) {
		t.Errorf("attached after Stop: %v", err)
	}
}

// Two calls of Host.Stop at the same time tell each registration once, one after the other.
func TestHostStopTwiceAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := tool.NewHost(tool.TurnLimits{})
		var stopped collector[string]
		for _, name := range []string{"first", "second"} {
			err := h.Attach(&tool.Registration{Stop: func(error) {
				stopped.add(name)
				time.Sleep(time.Second)
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
		var both sync.WaitGroup
		var told atomic.Int64
		for range 2 {
			both.Go(func() { told.Add(int64(h.Stop(tool.ErrShutdown))) })
		}
		synctest.Wait()
		wantOrder(t, stopped.all(), "first")
		both.Wait()
		wantOrder(t, stopped.all(), "first", "second")
		if told.Load() != 2 {
			t.Errorf("%d were told, want each once", told.Load())
		}
	})
}

// A detached registration keeps no other registration in memory.
func TestDetachedRegistrationHoldsNobody(t *testing.T) {
	h := tool.NewHost(tool.TurnLimits{})
	var all [3]*tool.Registration
	for i := range all {
		all[i] = &tool.Registration{Stop: func(error) {}}
		if err := h.Attach(all[i]); err != nil {
			t.Fatal(err)
		}
	}
	before, leaves, after := weak.Make(all[0]), all[1], weak.Make(all[2])
	h.Detach(leaves)
	h.Detach(all[0])
	h.Detach(all[2])
	clear(all[:])
	runtime.GC()
	if before.Value() != nil || after.Value() != nil {
		t.Error("its neighbours are kept")
	}
	runtime.KeepAlive(leaves)
}

func TestHostStopGoexit(t *testing.T) {
	h := tool.NewHost(tool.TurnLimits{})
	registration := &tool.Registration{Stop: func(error) { runtime.Goexit() }}
	if err := h.Attach(registration); err != nil {
		t.Fatal(err)
	}
	var other sync.WaitGroup
	other.Go(func() { h.Stop(tool.ErrShutdown) })
	other.Wait()
	h.Detach(registration)
	<-h.Drain()
}

// Detach waits until Stop has returned, so that the owner's memory can be reused.
func TestDetachWaitsForStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := tool.NewHost(tool.TurnLimits{})
		var order collector[string]
		entered := make(chan struct{})
		registration := &tool.Registration{Stop: func(error) {
			close(entered)
			time.Sleep(time.Second)
			order.add("stop returned")
		}}
		if err := h.Attach(registration); err != nil {
			t.Fatal(err)
		}
		go h.Stop(tool.ErrShutdown)
		<-entered
		h.Detach(registration)
		order.add("detach returned")
		wantOrder(t, order.all(), "stop returned", "detach returned")
	})
}

// Registrations come and go on many goroutines while the host stops. None is told to stop after Detach.
func TestHostStress(t *testing.T) {
	h := tool.NewHost(tool.TurnLimits{})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			var gone atomic.Bool
			registration := &tool.Registration{Stop: func(error) {
				if gone.Load() {
					t.Error("told to stop after Detach")
				}
			}}
			for range 2000 {
				gone.Store(false)
				if h.Attach(registration) != nil {
					return
				}
				runtime.Gosched()
				h.Detach(registration)
				gone.Store(true)
			}
		})
	}
	for range 2 {
		all.Go(func() { h.Stop(tool.ErrShutdown) })
	}
	all.Wait()
	<-h.Drain()
	if h.Live() != 0 {
		t.Errorf("%d live", h.Live())
	}
}

func TestReportSurvivesItsHandler(*testing.T) {
	h := tool.NewHost(tool.TurnLimits{}, tool.WithOnError(func(error) { panic("handler") }))
	h.Report(errors.New("reported")) // written to the log
}

func TestTurnDefaults(t *testing.T) {
	for _, c := range []struct {
		reason      string
		given, want tool.TurnLimits
	}{
		{"zero", tool.TurnLimits{}, tool.TurnLimits{Steps: 100, Time: time.Millisecond}},
		{"negative", tool.TurnLimits{Steps: -1, Time: -1}, tool.TurnLimits{Steps: 100, Time: time.Millisecond}},
		{"given", tool.TurnLimits{Steps: 7, Time: time.Hour}, tool.TurnLimits{Steps: 7, Time: time.Hour}},
	} {
		got := tool.NewHost(c.given, nil).Turn() // a nil option sets nothing
		if got.Steps != c.want.Steps || got.Time != c.want.Time {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}

func TestHostDrawsNumbers(t *testing.T) {
	h := tool.NewHost(tool.TurnLimits{})
	seen := make(map[uint64]bool)
	for range 10 {
		seen[h.Rand()] = true
	}
	if len(seen) < 5 {
		t.Errorf("%d different numbers of 10", len(seen))
	}
}
