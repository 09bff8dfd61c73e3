package clustertest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/step"
)

// line is the only place of a mutex, for which several processes wait.
type line struct {
	t      *testing.T
	server Server
	let    chan struct{} // closed to let the first one go

	mu    sync.Mutex
	order []string
}

func newLine(t *testing.T, s Server) *line { return &line{t: t, server: s, let: make(chan struct{})} }

// join asks for the place by a process of its own, and returns when n wait at the server, or when the place is taken if
// n is 0.
func (l *line) join(ctx context.Context, name string, n int) (ended <-chan error) {
	l.t.Helper()
	p := l.server.Connect(time.Hour)
	section := step.Await(func(context.Context, string) (string, error) {
		l.mu.Lock()
		l.order = append(l.order, name)
		l.mu.Unlock()
		if name == "first" {
			<-l.let
		}
		return "", nil
	})
	ended = runIn(ctx, p.Mutex("m", 1, -1), section)
	if n > 0 {
		l.waits(p, n)
		return ended
	}
	Eventually(l.t, "the place is taken", func() bool {
		owner, err := p.Owner("m")
		return err == nil && owner != ""
	})
	return ended
}

func (l *line) waits(p Process, n int) {
	l.t.Helper()
	Eventually(l.t, "the processes wait", func() bool {
		waiting, err := p.Waiting("m")
		return err == nil && waiting == n
	})
}

// ends lets the first one go and waits for all.
func (l *line) ends(all ...<-chan error) {
	l.t.Helper()
	close(l.let)
	for i, ended := range all {
		if err := within(l.t, ended); err != nil {
			l.t.Errorf("process %d: %v", i, err)
		}
	}
	if len(l.order) != len(all) {
		l.t.Errorf("%v have entered", l.order)
	}
}

// processOrder checks that processes enter in the order in which they came, and that one that has gone away is left out.
func processOrder(t *testing.T, s Server) {
	l := newLine(t, s)
	all := []<-chan error{l.join(t.Context(), "first", 0)}
	ctx, cancel := context.WithCancel(t.Context())
	var gone <-chan error
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		if name == "c" {
			gone = l.join(ctx, name, i+1)
		} else {
			all = append(all, l.join(t.Context(), name, i+1))
		}
	}
	cancel()
	wantCode(t, within(t, gone), fault.Cancelled)
	l.waits(s.Connect(time.Hour), 4)
	l.ends(all...)
	if want := []string{"first", "a", "b", "d", "e"}; !slices.Equal(l.order, want) {
		t.Errorf("the order is %v, want %v", l.order, want)
	}
}

// firstIsDead checks that a place doesn't wait for those that have died in the queue, and that they are taken out of it.
func firstIsDead(t *testing.T, s Server) {
	l := newLine(t, s)
	p := s.Connect(time.Hour)
	if err := p.Ghosts("m", 2); err != nil {
		t.Fatal(err)
	}
	l.ends(l.join(t.Context(), "first", 0), l.join(t.Context(), "a", 3), l.join(t.Context(), "b", 4))
	l.waits(p, 0)
	Eventually(t, "the place is free", func() bool {
		owner, err := p.Owner("m")
		return err == nil && owner == ""
	})
}
