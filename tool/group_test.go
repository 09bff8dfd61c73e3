package tool_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

func TestGroupNext(t *testing.T) {
	g := tool.NewGroup(3, tool.Options{})
	defer func() {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		if err := g.Shutdown(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("Shutdown: %v, want the cause, as registrations were told to stop", err)
		}
	}()
	loops := g.Loops()
	place := func(l *tool.Loop) {
		registration := new(tool.Registration)
		registration.Stop = func(error) { l.Host().Detach(registration) }
		if err := l.Host().Attach(registration); err != nil {
			t.Fatal(err)
		}
	}
	g.Loops()[0] = nil // the caller's own copy of the slice
	ties := make([]int, 0, 4)
	for range 4 {
		ties = append(ties, slices.Index(loops, g.Next()))
	}
	if want := []int{0, 1, 2, 0}; !slices.Equal(ties, want) {
		t.Errorf("ties went to %v, want %v", ties, want)
	}
	place(loops[0])
	place(loops[2])
	for range 4 {
		if g.Next() != loops[1] {
			t.Error("not the least loaded loop")
		}
	}
	for range 10 {
		place(g.Next())
	}
	for i, l := range loops {
		if l.Host().Live() != 4 {
			t.Errorf("loop %d has %d of 12 registrations", i, l.Host().Live())
		}
	}
}

func TestGroupSize(t *testing.T) {
	for _, c := range []struct{ n, want int }{{1, 1}, {2, 2}, {0, runtime.GOMAXPROCS(0)}, {-1, runtime.GOMAXPROCS(0)}} {
		g := tool.NewGroup(c.n, tool.Options{})
		if got := len(g.Loops()); got != c.want {
			t.Errorf("NewGroup(%d) has %d loops, want %d", c.n, got, c.want)
		}
		if err := g.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// The loops of a group are shut down at the same time, and all their errors are returned.
func TestGroupShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := tool.NewGroup(3, tool.Options{})
		blocked := make(chan struct{})
		for _, l := range g.Loops()[:2] {
			mustSchedule(t)(l.Immediate(func() { <-blocked }))
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		start := time.Now()
		err := g.Shutdown(ctx)
		if took := time.Since(start); !errors.Is(err, tool.ErrStuck) || took != time.Second+tool.ShutdownGrace {
			t.Errorf("after %v: %v", took, err)
		}
		if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != 2 {
			t.Errorf("%v: want two errors joined", err)
		}
		close(blocked)
		if err := g.Shutdown(context.Background()); err != nil {
			t.Errorf("second: %v", err)
		}
	})
}

// M10: the loops of a group stay as long as a run on one of them may ask for a load on another. After the end of
// patience a loop that isn't needed ends, even if another one is stuck.
func TestM10GroupEndsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := tool.NewGroup(3, tool.Options{})
		loops := g.Loops()
		if err := loops[2].Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		asks := attach(t, loops[0], untold, untold)
		load := &tool.Registration{Stop: func(error) { t.Error("a load that has ended was told to stop") }}
		mustSchedule(t)(loops[0].Deferred(100*time.Millisecond, func() {
			if err := loops[1].Host().AttachFor(load, loops[0].Host()); err != nil {
				t.Errorf("a load on another loop: %v", err)
			}
			if err := loops[2].Host().AttachFor(new(run).ready(), loops[0].Host()); !errors.Is(err, tool.ErrShutdown) {
				t.Errorf("a load on a loop that has ended: %v", err)
			}
			if err := loops[1].Host().Attach(new(run).ready()); !errors.Is(err, tool.ErrShutdown) {
				t.Errorf("no load: %v", err)
			}
		}))
		mustSchedule(t)(loops[0].Deferred(200*time.Millisecond, func() { loops[1].Host().Detach(load) }))
		mustSchedule(t)(loops[0].Deferred(time.Second+time.Millisecond, func() {
			if _, err := loops[1].Immediate(func() {}); !errors.Is(err, tool.ErrShutdown) {
				t.Errorf("after patience has ended: %v; want the end of a loop that isn't needed", err)
			}
		}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := g.Shutdown(ctx)
		if joined, ok := err.(interface{ Unwrap() []error }); !ok || len(joined.Unwrap()) != 1 || !errors.Is(err, tool.ErrStuck) {
			t.Errorf("got %v, want that one loop is stuck", err)
		}
		loops[0].Host().Detach(&asks.Registration)
		if err := g.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestGroupShutdownInside(t *testing.T) {
	for i := range 2 {
		g := tool.NewGroup(2, tool.Options{})
		inside := make(chan error)
		mustSchedule(t)(g.Loops()[i].Immediate(func() { inside <- g.Shutdown(context.Background()) }))
		if err := <-inside; !errors.Is(err, tool.ErrInLoop) {
			t.Errorf("inside loop %d: %v", i, err)
		}
		for j, l := range g.Loops() {
			if _, err := l.Immediate(func() {}); !errors.Is(err, tool.ErrShutdown) {
				t.Errorf("inside loop %d: loop %d takes work: %v", i, j, err)
			}
		}
		if err := g.Shutdown(context.Background()); err != nil {
			t.Errorf("outside: %v", err)
		}
	}
}

func TestZeroGroup(t *testing.T) {
	var g tool.Group
	l := g.Next()
	if _, err := l.Immediate(func() {}); !errors.Is(err, tool.ErrShutdown) || len(g.Loops()) > 0 {
		t.Errorf("%v, %d loops; want one that takes no work, and none", err, len(g.Loops()))
	}
	registration := &tool.Registration{Stop: func(error) {}}
	if err := l.Host().Attach(registration); !errors.Is(err, tool.ErrShutdown) {
		t.Errorf("attached: %v", err)
	}
	if err := errors.Join(l.Shutdown(context.Background()), g.Shutdown(context.Background())); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

func TestNilContext(t *testing.T) {
	l, m, g := tool.Start(tool.Options{}), tool.NewManual(tool.Options{}), tool.NewGroup(1, tool.Options{})
	for name, f := range map[string]func(context.Context) error{
		"Loop.Shutdown": l.Shutdown, "Manual.Shutdown": m.Shutdown, "Manual.Wait": m.Wait, "Group.Shutdown": g.Shutdown,
	} {
		if err := f(nil); !errors.Is(err, tool.ErrNilContext) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, loop := range map[string]tool.Tool{"Loop": l, "Manual": m, "Group": g.Next()} {
		if _, err := loop.Immediate(func() {}); err != nil {
			t.Errorf("%s: %v after a Shutdown that was refused", name, err)
		}
	}
	for _, f := range []func(context.Context) error{l.Shutdown, m.Shutdown, g.Shutdown} {
		if err := f(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
