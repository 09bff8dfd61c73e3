package tool_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/seedtest"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) {
	seedtest.Fix()
	leaktest.Main(m)
}

type testLoop struct {
	tool.Tool
	advance func(d time.Duration) // moves the time by d, and runs the callbacks that are due by then
	errs    func() []error        // the reported errors
}

func forEachLoop(t *testing.T, test func(t *testing.T, r testLoop)) {
	t.Helper()
	for _, kind := range []struct {
		name string
		make func(t *testing.T) testLoop
	}{{"Loop", newLoop}, {"Manual", newManual}, {"tooltest", newVirtual}} {
		t.Run(kind.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, kind.make(t)) })
		})
	}
}

func newLoop(t *testing.T) testLoop {
	var errs collector[error]
	l := tool.Start(tool.Options{OnError: errs.add})
	t.Cleanup(func() {
		if err := l.Shutdown(context.Background()); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
	return testLoop{l, func(d time.Duration) { time.Sleep(d); synctest.Wait() }, errs.all}
}

func newManual(*testing.T) testLoop {
	var errs collector[error]
	m := tool.NewManual(tool.Options{OnError: errs.add})
	pass := func(d time.Duration) {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		defer cancel()
		for {
			if !m.Iterate() && m.Wait(ctx) != nil {
				for m.Iterate() { // runs what came due together with ctx
				}
				return
			}
		}
	}
	return testLoop{m, pass, errs.all}
}

func newVirtual(*testing.T) testLoop {
	l := tooltest.New()
	return testLoop{l, func(d time.Duration) { l.Advance(d) }, l.Errors}
}

type collector[T any] struct {
	mu    sync.Mutex
	items []T
}

func (l *collector[T]) add(item T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = append(l.items, item)
}

func (l *collector[T]) all() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.items)
}

func mustSchedule(t *testing.T) func(h tool.Handle, err error) tool.Handle {
	return func(h tool.Handle, err error) tool.Handle {
		t.Helper()
		if err != nil {
			t.Fatalf("scheduling failed: %v", err)
		}
		return h
	}
}

func wantOrder(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("ran %v, want %v", got, want)
	}
}
