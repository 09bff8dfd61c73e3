package syncx

import (
	"math"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// AdaptivePolicy holds the bounds of the limit of an [Adaptive], and how outcomes change the limit. An AdaptivePolicy is a
// value: [NewAdaptive] keeps a copy.
type AdaptivePolicy struct {
	// Name is the name of the Adaptive in events. If it is empty, the Adaptive is named by where it was made.
	Name string

	// Min and Max are the bounds of the limit. A Min of 0 stands for 1, a Max of 0 for 200, or for Min
	// if that is larger.
	Min, Max int
	// Start is the first limit. 0 stands for 20, or for the nearer bound if 20 is out of bounds.
	Start int
	// MaxQueue is how many flows may wait because the limit is reached. With 0 none may wait,
	// below zero any number.
	MaxQueue int

	// Window is how long outcomes are collected before the limit changes. 0 stands for
	// a second.
	Window time.Duration
	// MinSections is how many outcomes a change needs; the window lasts until there
	// are as many. 0 stands for 10.
	MinSections int
	// Tolerance is how long sections may take before that counts against the limit, as a multiple of the usual time: 1.5 is
	// half as long again. 0 stands for 1.5; any other value below 1 is refused.
	Tolerance float64

	// Overload reports whether err, with which a section has ended, means that what the
	// section calls is overloaded. With nil the codes fault.Timeout, of a limit that has passed, and
	// fault.DefenseRejected, of a full queue, mean that. It is called on the loop of the run.
	// If it panics the panic is reported to the loop's error handler, and err doesn't count.
	Overload func(err error) bool

	// OnChange, if not nil, is called after each change of the limit, as [BreakerPolicy].OnChange is.
	OnChange func(from, to int)
}

const (
	defaultLimit     = 20
	defaultMaxLimit  = 200
	defaultTolerance = 1.5
)

func (p *AdaptivePolicy) complete() error {
	if bad := belowZero(
		number{"Min", int64(p.Min)}, number{"Max", int64(p.Max)}, number{"Start", int64(p.Start)},
		number{"Window", int64(p.Window)}, number{"MinSections", int64(p.MinSections)},
	); bad != "" {
		return invalid("adaptive limit: " + bad)
	}
	if p.Tolerance != 0 && !(p.Tolerance >= 1 && p.Tolerance <= math.MaxFloat64) {
		return invalid("adaptive limit: Tolerance must be a number from 1, got " + strconv.FormatFloat(p.Tolerance, 'g', -1, 64))
	}
	p.zeros()
	switch {
	case p.Min > p.Max:
		return invalid("adaptive limit: Min is " + strconv.Itoa(p.Min) + ", above Max, " + strconv.Itoa(p.Max))
	case p.Start < p.Min || p.Start > p.Max:
		return invalid("adaptive limit: Start is " + strconv.Itoa(p.Start) + ", not between Min and Max")
	}
	return nil
}

func (p *AdaptivePolicy) zeros() {
	if p.Min == 0 {
		p.Min = 1
	}
	if p.Max == 0 {
		p.Max = max(defaultMaxLimit, p.Min)
	}
	if p.Start == 0 {
		p.Start = min(max(defaultLimit, p.Min), p.Max)
	}
	if p.Window == 0 {
		p.Window = time.Second
	}
	if p.MinSections == 0 {
		p.MinSections = defaultMinSections
	}
	if p.Tolerance == 0 {
		p.Tolerance = defaultTolerance
	}
	if p.Overload == nil {
		p.Overload = overloaded
	}
}

func overloaded(err error) bool {
	return fault.Is(err, fault.Timeout) || fault.Is(err, fault.DefenseRejected)
}
