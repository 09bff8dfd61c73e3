package cluster_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/cluster"
	"github.com/futoin-go/asyncsteps/syncx"
)

var errNoName = errors.New("no name")

func (s *server) maker(lease time.Duration, client error) *cluster.Maker {
	return cluster.NewMaker(cluster.Server{
		Kind: "test", Client: client, Clock: s,
		Name: func(name string) error {
			if name == "" {
				return errNoName
			}
			return nil
		},
		Places: func(string, int) cluster.Places { return s },
		Rate:   func(string, int, time.Duration) cluster.Rate { return s },
	}, lease)
}

// A Maker reports the first thing that is wrong with its arguments.
func TestMakerChecksArguments(t *testing.T) {
	s := newServer(t, 1)
	mutex := func(k *cluster.Maker, name string, maximum int) error {
		_, err := k.Mutex(name, maximum, 0)
		return err
	}
	throttle := func(k *cluster.Maker, maximum int, period time.Duration) error {
		_, err := k.Throttle("t", maximum, period, 0)
		return err
	}
	limiter := func(k *cluster.Maker, limits syncx.Limits) error {
		_, err := k.Limiter("l", limits)
		return err
	}
	good := s.maker(lease, nil)
	for _, c := range []struct {
		err  error
		want string
	}{
		{mutex(s.maker(0, errBroken), "", 0), errBroken.Error()},
		{mutex(s.maker(30*ms-1, nil), "", 0), "InvalidRequest: test: a lease must be at least 30ms, got 29.999999ms"},
		{throttle(s.maker(0, nil), 1, ms), "InvalidRequest: test: a lease must be at least 30ms, got 0s"},
		{limiter(s.maker(-1, nil), syncx.Limits{}), "InvalidRequest: test: a lease must be at least 30ms, got -1ns"},
		{mutex(s.maker(math.MaxInt64, nil), "m", 1), "InvalidRequest: test: a lease must be at most 8760h0m0s, got 2562047h47m16.854775807s"},
		{mutex(good, "", 0), errNoName.Error()},
		{mutex(good, "m", 0), "InvalidRequest: test: the maximum of a mutex must be at least 1, got 0"},
		{mutex(good, "m", 1<<30), "InvalidRequest: test: the maximum of a mutex must be at most 100000, got 1073741824"},
		{throttle(good, 0, 0), "InvalidRequest: test: the maximum of a throttle must be at least 1, got 0"},
		{throttle(good, 1, 0), "InvalidRequest: test: a period must be positive, got 0s"},
		{throttle(good, 1, -1), "InvalidRequest: test: a period must be positive, got -1ns"},
		{limiter(good, syncx.Limits{Concurrent: -1, Rate: -1}), "InvalidRequest: test: Concurrent must be at least 1, got -1"},
		{limiter(good, syncx.Limits{Concurrent: 100_001}), "InvalidRequest: test: Concurrent must be at most 100000, got 100001"},
		{limiter(good, syncx.Limits{Rate: -1, Period: -1}), "InvalidRequest: test: Rate must be at least 1, got -1"},
		{limiter(good, syncx.Limits{Period: -1}), "InvalidRequest: test: a period must be positive, got -1ns"},
		{mutex(s.maker(30*ms, nil), "m", 1), ""},
		{mutex(s.maker(365*24*time.Hour, nil), "m", 100_000), ""},
		{throttle(good, 1, 1), ""},
		{throttle(good, math.MaxInt, math.MaxInt64), ""},
		{limiter(good, syncx.Limits{}), ""},
	} {
		switch {
		case c.err == nil && c.want != "":
			t.Errorf("no error, want %q", c.want)
		case c.err != nil && c.err.Error() != c.want:
			t.Errorf("%q, want %q", c.err, c.want)
		}
	}
}

func TestMakerMakes(t *testing.T) {
	s := newServer(t, 1)
	k := s.maker(lease, nil)
	m, err := k.Mutex("m", 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.start("a", syncx.Sync(m, s.stay(3*lease)))
	s.Advance(5 * ms)
	b := s.start("b", syncx.Sync(m, s.stay(ms)))
	s.Run()
	wantCode(t, b, fault.DefenseRejected)
	s.want("+a@1 -a@301")
	wantIdle(t, s, m)
	l, err := k.Limiter("l", syncx.Limits{MaxQueue: -1, Burst: -1})
	if err != nil {
		t.Fatal(err)
	}
	c := s.start("c", syncx.Sync(l, s.stay(ms)))
	s.Run()
	wantCode(t, c, "")
	wantIdle(t, s, l)
}
