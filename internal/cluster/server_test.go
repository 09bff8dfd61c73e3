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
	"github.com/futoin-go/asyncsteps/internal/cluster"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const (
	ms    = time.Millisecond
	lease = 100 * ms
	trip  = ms // until the server answers
)

var errBroken = errors.New("the connection is broken")

// server imitates the server behind Places and Rate. It answers on a virtual loop, and its clock is that of the loop.
type server struct {
	*tooltest.Loop
	t      *testing.T
	log    []string
	places []*place // nil for a free place
	fence  uint64
	asked  int           // requests under way
	most   int           // the largest number of requests at the same time
	calls  int           // of Acquire and Take
	broken bool          // renewals and Take aren't answered
	late   bool          // timers can't be stopped in time
	refuse error         // answer to all requests
	window time.Duration // of the rate's windows
	rate   int
	opened time.Duration
	used   int
}

func newServer(t *testing.T, places int) *server {
	t.Helper()
	return &server{Loop: tooltest.New(), t: t, places: make([]*place, places), window: 50 * ms, rate: 2, opened: -time.Hour}
}

type place struct {
	s     *server
	at    int
	fence uint64
	since time.Duration // as known to the holder
	ends  time.Duration // as known to the server
}

func (s *server) After(d time.Duration, f func()) func() {
	h, err := s.Deferred(max(d, 0), f)
	if err != nil {
		s.t.Error(err)
	}
	return func() {
		if !s.late {
			s.Cancel(h)
		}
	}
}

func (s *server) Now() time.Duration { return s.Loop.Now() }

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

// Acquire tries to get a place every trip, until it has one or ctx ends.
func (s *server) Acquire(ctx context.Context, wait bool, done func(cluster.Place, error)) {
	s.asked++
	s.calls++
	s.most = max(s.most, s.asked)
	since := s.Now()
	var try func()
	try = func() {
		switch at := slices.IndexFunc(s.places, func(p *place) bool { return p == nil || p.ends <= s.Now() }); {
		case s.refuse != nil:
			s.asked--
			done(nil, s.refuse)
		case at >= 0:
			s.asked--
			s.fence++
			p := &place{s, at, s.fence, since, s.Now() + lease}
			s.places[at] = p
			done(p, nil)
		case !wait:
			s.asked--
			done(nil, cluster.ErrTaken)
		case ctx.Err() != nil:
			s.asked--
			done(nil, ctx.Err())
		default:
			since = s.Now()
			s.After(trip, try)
		}
	}
	s.After(trip, try)
}

func (p *place) Fence() uint64        { return p.fence }
func (p *place) Since() time.Duration { return p.since }

func (p *place) mine() bool { return p.s.places[p.at] == p }

func (p *place) Renew(ctx context.Context, done func(error)) {
	p.s.After(trip, func() {
		switch {
		case p.s.broken || ctx.Err() != nil:
			done(errBroken)
		case !p.mine():
			done(cluster.ErrLost)
		default:
			p.ends = p.s.Now() + lease
			done(nil)
		}
	})
}

func (p *place) Release() {
	if p.mine() && !p.s.broken {
		p.s.places[p.at] = nil
	}
}

// Take gives entries in fixed windows. While the connection is broken it tries again every trip.
func (s *server) Take(ctx context.Context, n int, done func(int, time.Duration, error)) {
	s.asked++
	s.calls++
	s.most = max(s.most, s.asked)
	var try func()
	try = func() {
		if s.broken && ctx.Err() == nil {
			s.After(trip, try)
			return
		}
		s.asked--
		switch {
		case s.broken:
			done(0, 0, ctx.Err())
			return
		case s.refuse != nil:
			done(0, 0, s.refuse)
			return
		case s.Now() >= s.opened+s.window:
			s.opened, s.used = s.Now(), 0
		}
		got := min(n, s.rate-s.used)
		s.used += got
		done(got, s.opened+s.window-s.Now(), nil)
	}
	s.After(trip, try)
}

func (s *server) free() int {
	n := 0
	for _, p := range s.places {
		if p == nil || p.ends <= s.Now() {
			n++
		}
	}
	return n
}

type str = step.Step[string, string]

// stay notes when it comes and goes, or is cancelled.
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
