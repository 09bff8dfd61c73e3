package cluster

import (
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Maker makes the guards of one server and checks their arguments. It is safe for concurrent use.
type Maker struct {
	server Server
	lease  time.Duration
	bad    error
}

// Server describes a server to a Maker.
type Server struct {
	Kind   string // how errors begin: the name of the package whose users get them
	Client error  // what is wrong with the client of the server, or nil
	Clock  Clock

	Name   func(name string) error // returns what is wrong with the name of a guard, or nil
	Places func(name string, n int) Places
	Rate   func(name string, maximum int, period time.Duration) Rate
}

const (
	shortest = 30 * time.Millisecond // leaves time for a few requests in a lease
	longest  = 365 * 24 * time.Hour  // leaves room for the sum of a time and some leases
	most     = 100_000               // places; each is a key, which a process that asks may have to look at
)

// NewMaker makes a Maker of guards on s, with leases of the given length. The methods of the Maker return s.Client if that
// isn't nil, and an error if the lease is below 30 ms or above a year.
func NewMaker(s Server, lease time.Duration) *Maker {
	k := &Maker{server: s, lease: lease, bad: s.Client}
	switch {
	case k.bad != nil:
	case lease < shortest:
		k.bad = k.invalid("a lease must be at least " + shortest.String() + ", got " + lease.String())
	case lease > longest:
		k.bad = k.invalid("a lease must be at most " + longest.String() + ", got " + lease.String())
	}
	return k
}

func (k *Maker) invalid(what string) error {
	return fault.New(fault.InvalidRequest, k.server.Kind+": "+what)
}

// check returns an error if there can't be a guard called name. bad are the errors in the other arguments of the guard; each
// may be nil.
func (k *Maker) check(name string, bad ...error) error {
	if k.bad != nil {
		return k.bad
	}
	if err := k.server.Name(name); err != nil {
		return err
	}
	for _, err := range bad {
		if err != nil {
			return err
		}
	}
	return nil
}

func (k *Maker) atLeastOne(what string, n int) error {
	if n < 1 {
		return k.invalid(what + " must be at least 1, got " + strconv.Itoa(n))
	}
	return nil
}

func (k *Maker) places(what string, n int) error {
	if n > most {
		return k.invalid(what + " must be at most " + strconv.Itoa(most) + ", got " + strconv.Itoa(n))
	}
	return k.atLeastOne(what, n)
}

func (k *Maker) positive(period time.Duration) error {
	if period <= 0 {
		return k.invalid("a period must be positive, got " + period.String())
	}
	return nil
}

// Mutex makes a Mutex of maximum places, or reports what is wrong with the arguments.
func (k *Maker) Mutex(name string, maximum, maxQueue int) (*Mutex, error) {
	if err := k.check(name, k.places("the maximum of a mutex", maximum)); err != nil {
		return nil, err
	}
	return k.mutex("mutex", name, maximum, maxQueue), nil
}

// Throttle makes a Throttle of maximum entries in a period, or reports what is wrong with the arguments.
func (k *Maker) Throttle(name string, maximum int, period time.Duration, maxQueue int) (*Throttle, error) {
	if err := k.check(name, k.atLeastOne("the maximum of a throttle", maximum), k.positive(period)); err != nil {
		return nil, err
	}
	return k.throttle("throttle", name, maximum, period, maxQueue), nil
}

// Limiter makes a Limiter, or reports what is wrong with the arguments. Limits that are 0 have the defaults of
// [syncx.Limits].
func (k *Maker) Limiter(name string, limits syncx.Limits) (*Limiter, error) {
	if limits.Concurrent == 0 {
		limits.Concurrent = 1
	}
	if limits.Rate == 0 {
		limits.Rate = 1
	}
	if limits.Period == 0 {
		limits.Period = time.Second
	}
	err := k.check(name, k.places("Concurrent", limits.Concurrent), k.atLeastOne("Rate", limits.Rate), k.positive(limits.Period))
	if err != nil {
		return nil, err
	}
	return NewLimiter(
		k.mutex("limiter", name, limits.Concurrent, limits.MaxQueue),
		k.throttle("limiter", name, limits.Rate, limits.Period, limits.Burst),
	), nil
}

func (k *Maker) mutex(kind, name string, maximum, maxQueue int) *Mutex {
	return NewMutex(kind+" "+name, k.server.Places(name, maximum), k.server.Clock, k.lease, maxQueue)
}

func (k *Maker) throttle(kind, name string, maximum int, period time.Duration, maxQueue int) *Throttle {
	return NewThrottle(kind+" "+name, k.server.Rate(name, maximum, period), k.server.Clock, maxQueue)
}
