package clustertest

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/step"
)

// patience is how long a process has to take its place. After that the next process in the queue may take it.
const patience = 100 * time.Millisecond

// line is the only place of a mutex, for which several processes wait.
type line struct {
	t      *testing.T
	server Server
	mutex  string
	let    chan struct{} // closed to let the first process leave

	mu    sync.Mutex
	order []string
	left  time.Time // the time of the latest leave
	late  bool      // a process has entered patience or more after left
}

func newLine(t *testing.T, s Server, mutex string) *line {
	return &line{t: t, server: s, mutex: mutex, let: make(chan struct{})}
}

func (l *line) enter(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.order = append(l.order, name)
	l.late = l.late || len(l.order) > 1 && time.Since(l.left) >= patience
}

func (l *line) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = time.Now()
}

// join lets a new process ask for the place. It returns when n processes wait at the server, or, if n is 0, when the place
// is taken.
func (l *line) join(ctx context.Context, name string, n int) (ended <-chan error) {
	l.t.Helper()
	p := l.server.Connect(time.Hour)
	section := step.Await(func(context.Context, string) (string, error) {
		l.enter(name)
		if name == "first" {
			<-l.let
		}
		l.leave()
		return "", nil
	})
	ended = runIn(ctx, p.Mutex(l.mutex, 1, -1), section)
	if n > 0 {
		l.waits(p, n)
		return ended
	}
	Eventually(l.t, "the place is taken", func() bool {
		owner, err := p.Owner(l.mutex)
		return err == nil && owner != ""
	})
	return ended
}

func (l *line) waits(p Process, n int) {
	l.t.Helper()
	Eventually(l.t, "the processes wait", func() bool {
		waiting, err := p.Waiting(l.mutex)
		return err == nil && waiting == n
	})
}

// ends lets the first process go, and waits for the ends of all.
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

// processOrder checks that processes enter in the order in which they came, without the one that has gone away. On a busy
// machine a process may be passed over because it didn't come in time. Then the test tries again, ten times in all.
func processOrder(t *testing.T, s Server) {
	want := []string{"first", "a", "b", "d", "e"}
	for i := range 10 {
		l := newLine(t, s, "m"+strconv.Itoa(i))
		if l.oneGoesAway(); slices.Equal(l.order, want) {
			return
		}
		if t.Logf("the order is %v, want %v", l.order, want); !l.late {
			t.Fatal("nobody has come late")
		}
	}
	t.Error("somebody has come late each time")
}

func (l *line) oneGoesAway() {
	t := l.t
	all := []<-chan error{l.join(t.Context(), "first", 0)}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
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
	l.waits(l.server.Connect(time.Hour), 4)
	l.ends(all...)
}

// firstIsDead checks that a place doesn't wait for dead processes in the queue, and that these are taken out of the queue.
func firstIsDead(t *testing.T, s Server) {
	l := newLine(t, s, "m")
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
