package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const (
	ms    = time.Millisecond
	lease = 100 * ms
)

var errBroken = errors.New("the connection is broken")

type server struct {
	*clustertest.Connection

	t      *testing.T
	log    []string
	window time.Duration // of the rate's windows
	rate   int
	opened time.Duration
	used   int
}

func newServer(t *testing.T, places int) *server {
	t.Helper()
	return &server{Connection: clustertest.NewStore(places, lease).Connect(), t: t, window: 50 * ms, rate: 2, opened: -time.Hour}
}

func (s *server) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

func (s *server) want(events string) {
	s.t.Helper()
	if want := strings.Fields(events); !slices.Equal(s.log, want) {
		s.t.Errorf("happened:\n  %v\nwant:\n  %v", s.log, want)
	}
	s.log = nil
}

// Take gives entries in fixed windows. While the connection is cut it tries again after each trip.
func (s *server) Take(ctx context.Context, n int, done func(int, time.Duration, error)) {
	s.Ask()
	var try func()
	try = func() {
		if s.Cut && ctx.Err() == nil {
			s.After(clustertest.Trip, try)
			return
		}
		s.Answered()
		switch {
		case s.Cut:
			done(0, 0, ctx.Err())
			return
		case s.Refuse != nil:
			done(0, 0, s.Refuse)
			return
		case s.Now() >= s.opened+s.window:
			s.opened, s.used = s.Now(), 0
		}
		got := min(n, s.rate-s.used)
		s.used += got
		done(got, s.opened+s.window-s.Now(), nil)
	}
	s.After(clustertest.Trip, try)
}

type str = step.Step[string, string]

// stay returns a stage that lasts for d. It notes when it begins, and when it ends or is cancelled.
func (s *server) stay(d time.Duration) str {
	return flow.OnCancel(flow.Then(step.Map(func(name string) string {
		s.note("+%s@%d", name, s.Now()/ms)
		return name
	}), flow.Then(step.Delay[string](d), step.Map(func(name string) string {
		s.note("-%s@%d", name, s.Now()/ms)
		return name
	}))), func(step.Scope) { s.note("~%d", s.Now()/ms) })
}

func (s *server) start(name string, p str) *flow.Running[string] {
	return flow.Start(context.Background(), s.Loop, p, name)
}
