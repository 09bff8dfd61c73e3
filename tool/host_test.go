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
	h, other := tool.NewHost(tool.Turn{}), tool.NewHost(tool.Turn{})
	tenant := &tool.Tenant{Stop: func(error) {}}
	for _, c := range []struct {
		reason string
		host   *tool.Host
		tenant *tool.Tenant
		want   error
		live   int
	}{
		{"nil tenant", h, nil, tool.ErrNoStop, 0},
		{"a tenant that can't be stopped", h, &tool.Tenant{}, tool.ErrNoStop, 0},
		{"first", h, tenant, nil, 1},
		{"twice", h, tenant, tool.ErrAttached, 1},
		{"elsewhere meanwhile", other, tenant, tool.ErrAttached, 0},
		{"a second tenant", h, &tool.Tenant{Stop: func(error) {}}, nil, 2},
	} {
		if err := c.host.Attach(c.tenant); !errors.Is(err, c.want) || c.host.Live() != c.live {
			t.Errorf("%s: error %v, %d live; want %v, %d", c.reason, err, c.host.Live(), c.want, c.live)
		}
	}
	other.Detach(tenant) // not there: must not harm
	h.Detach(nil)
	if h.Live() != 2 {
		t.Errorf("%d live after a foreign Detach, want 2", h.Live())
	}
	h.Detach(tenant)
	h.Detach(tenant)
	if h.Live() != 1 {
		t.Errorf("%d live after Detach, want 1", h.Live())
	}
	if err := other.Attach(tenant); err != nil {
		t.Errorf("attach again elsewhere: %v", err)
	}
}

func TestHostDrain(t *testing.T) {
	h := tool.NewHost(tool.Turn{})
	tenant := &tool.Tenant{Stop: func(error) {}}
	if err := h.Attach(tenant); err != nil {
		t.Fatal(err)
	}
	drained := h.Drain()
	if err := h.Attach(&tool.Tenant{Stop: func(error) {}}); !errors.Is(err, tool.ErrShutdown) {
		t.Errorf("attach while draining: %v", err)
	}
	select {
	case <-drained:
		t.Error("drained while a tenant lives")
	default:
	}
	h.Detach(tenant)
	<-drained
	<-h.Drain()
	<-tool.NewHost(tool.Turn{}).Drain() // empty from the start
}

func TestHostStop(t *testing.T) {
	var reported log[error]
	h := tool.NewHost(tool.Turn{}, tool.WithOnError(reported.add))
	cause := errors.New("cause")
	var stopped log[string]
	attach := func(name string, stop func(*tool.Tenant)) {
		tenant := new(tool.Tenant)
		tenant.Stop = func(err error) {
			if err != cause {
				t.Errorf("%s: stopped with %v", name, err)
			}
			stopped.add(name)
			stop(tenant)
		}
		if err := h.Attach(tenant); err != nil {
			t.Fatal(err)
		}
	}
	attach("stays", func(*tool.Tenant) {})
	attach("leaves", h.Detach)
	attach("panics", func(*tool.Tenant) { panic("boom") })
	attach("stops all", func(*tool.Tenant) { h.Stop(cause) })
	attach("last", func(*tool.Tenant) {})
	if told := h.Stop(cause); told != 5 {
		t.Errorf("told %d tenants, want 5", told)
	}
	wantOrder(t, stopped.all(), "stays", "leaves", "panics", "stops all", "last")
	if h.Live() != 4 {
		t.Errorf("%d live, want 4: those that didn't leave", h.Live())
	}
	if errs := reported.all(); len(errs) != 1 {
		t.Errorf("reported %v, want one panic", errs)
	}
	if told := h.Stop(cause); told != 0 {
		t.Errorf("told %d tenants a second time", told)
	}
	if err := h.Attach(&tool.Tenant{Stop: func(error) {}}); !errors.Is(err, tool.ErrShutdown) {
		t.Errorf("attached after Stop: %v", err)
	}
}

// Of two Stops at the same time one waits while the other is inside a tenant's Stop, and tells the next.
func TestHostStopTwiceAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := tool.NewHost(tool.Turn{})
		var stopped log[string]
		for _, name := range []string{"first", "second"} {
			err := h.Attach(&tool.Tenant{Stop: func(error) {
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

// A tenant that has left holds none of those that were there with it.
func TestDetachedTenantHoldsNobody(t *testing.T) {
	h := tool.NewHost(tool.Turn{})
	var all [3]*tool.Tenant
	for i := range all {
		all[i] = &tool.Tenant{Stop: func(error) {}}
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

// A tenant whose Stop ends the goroutine leaves the host usable.
func TestHostStopGoexit(t *testing.T) {
	h := tool.NewHost(tool.Turn{})
	tenant := &tool.Tenant{Stop: func(error) { runtime.Goexit() }}
	if err := h.Attach(tenant); err != nil {
		t.Fatal(err)
	}
	var other sync.WaitGroup
	other.Go(func() { h.Stop(tool.ErrShutdown) })
	other.Wait()
	h.Detach(tenant)
	<-h.Drain()
}

// After Detach has returned Stop isn't running: the owner may be used for something else at once.
func TestDetachWaitsForStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := tool.NewHost(tool.Turn{})
		var order log[string]
		entered := make(chan struct{})
		tenant := &tool.Tenant{Stop: func(error) {
			close(entered)
			time.Sleep(time.Second)
			order.add("stop returned")
		}}
		if err := h.Attach(tenant); err != nil {
			t.Fatal(err)
		}
		go h.Stop(tool.ErrShutdown)
		<-entered
		h.Detach(tenant)
		order.add("detach returned")
		wantOrder(t, order.all(), "stop returned", "detach returned")
	})
}

// Tenants come and go on many goroutines while the host stops: each is told at most once, and never after Detach.
func TestHostStress(t *testing.T) {
	h := tool.NewHost(tool.Turn{})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			var gone atomic.Bool
			tenant := &tool.Tenant{Stop: func(error) {
				if gone.Load() {
					t.Error("told to stop after Detach")
				}
			}}
			for range 2000 {
				gone.Store(false)
				if h.Attach(tenant) != nil {
					return
				}
				runtime.Gosched()
				h.Detach(tenant)
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

// The error handler's own failure is not the loop's.
func TestReportSurvivesItsHandler(*testing.T) {
	h := tool.NewHost(tool.Turn{}, tool.WithOnError(func(error) { panic("handler") }))
	h.Report(errors.New("reported")) // goes to the log
}

func TestTurnDefaults(t *testing.T) {
	for _, c := range []struct {
		reason      string
		given, want tool.Turn
	}{
		{"zero", tool.Turn{}, tool.Turn{Steps: 100, Time: time.Millisecond}},
		{"negative", tool.Turn{Steps: -1, Time: -1}, tool.Turn{Steps: 100, Time: time.Millisecond}},
		{"given", tool.Turn{Steps: 7, Time: time.Hour}, tool.Turn{Steps: 7, Time: time.Hour}},
	} {
		got := tool.NewHost(c.given).Turn()
		if got.Steps != c.want.Steps || got.Time != c.want.Time {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}
