package syncx

import (
	"encoding/json"

	"github.com/futoin-go/asyncsteps/config"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/jsonpolicy"
)

type writtenBreaker struct {
	Name        *string          `json:"name"`
	Last        *int             `json:"last"`
	Window      *config.Duration `json:"window"`
	Failures    *int             `json:"failures"`
	Rate        *float64         `json:"rate"`
	MinSections *int             `json:"minSections"`
	Slow        *config.Duration `json:"slow"`
	Pause       *config.Duration `json:"pause"`
	Probes      *int             `json:"probes"`
}

func (p *BreakerPolicy) written() *writtenBreaker {
	return &writtenBreaker{
		&p.Name, &p.Last, (*config.Duration)(&p.Window), &p.Failures, &p.Rate, &p.MinSections,
		(*config.Duration)(&p.Slow), (*config.Duration)(&p.Pause), &p.Probes,
	}
}

// MarshalJSON writes the policy as an object, without its functions:
//
//	{"name":"","last":0,"window":"10s","failures":0,"rate":0.5,"minSections":20,"slow":"0s","pause":"5s","probes":3}
func (p BreakerPolicy) MarshalJSON() ([]byte, error) { return json.Marshal(p.written()) }

// UnmarshalJSON reads what MarshalJSON writes. Fields that are absent keep their values, as do the functions, so read into a
// policy with your defaults. If [NewBreaker] would refuse a value, or the policy has no field of a given name, the error is a
// [*config.Error]. After an error the policy is as it was. A library for YAML that goes through JSON can read a policy too.
func (p *BreakerPolicy) UnmarshalJSON(text []byte) error {
	return jsonpolicy.Read(text, p, (*BreakerPolicy).written, (*BreakerPolicy).wrong)
}

type writtenAdaptive struct {
	Name        *string          `json:"name"`
	Min         *int             `json:"min"`
	Max         *int             `json:"max"`
	Start       *int             `json:"start"`
	MaxQueue    *int             `json:"maxQueue"`
	Window      *config.Duration `json:"window"`
	MinSections *int             `json:"minSections"`
	Tolerance   *float64         `json:"tolerance"`
}

func (p *AdaptivePolicy) written() *writtenAdaptive {
	return &writtenAdaptive{
		&p.Name, &p.Min, &p.Max, &p.Start, &p.MaxQueue, (*config.Duration)(&p.Window), &p.MinSections, &p.Tolerance,
	}
}

// MarshalJSON writes the policy as an object, without its functions:
//
//	{"name":"","min":1,"max":200,"start":20,"maxQueue":100,"window":"1s","minSections":10,"tolerance":1.5}
func (p AdaptivePolicy) MarshalJSON() ([]byte, error) { return json.Marshal(p.written()) }

// UnmarshalJSON reads what MarshalJSON writes, as [BreakerPolicy.UnmarshalJSON] does.
func (p *AdaptivePolicy) UnmarshalJSON(text []byte) error {
	return jsonpolicy.Read(text, p, (*AdaptivePolicy).written, (*AdaptivePolicy).wrong)
}

type writtenLimits struct {
	Concurrent *int             `json:"concurrent"`
	MaxQueue   *int             `json:"maxQueue"`
	Rate       *int             `json:"rate"`
	Period     *config.Duration `json:"period"`
	Burst      *int             `json:"burst"`
}

func (l *Limits) written() *writtenLimits {
	return &writtenLimits{&l.Concurrent, &l.MaxQueue, &l.Rate, (*config.Duration)(&l.Period), &l.Burst}
}

// MarshalJSON writes the limits as an object:
//
//	{"concurrent":10,"maxQueue":100,"rate":50,"period":"1s","burst":0}
func (l Limits) MarshalJSON() ([]byte, error) { return json.Marshal(l.written()) }

// UnmarshalJSON reads what MarshalJSON writes, as [BreakerPolicy.UnmarshalJSON] does.
func (l *Limits) UnmarshalJSON(text []byte) error {
	return jsonpolicy.Read(text, l, (*Limits).written, (*Limits).wrong)
}

func (l *Limits) wrong() string { return reason(NewLimiter(*l).Err()) }

func (p *BreakerPolicy) wrong() string {
	completed := *p
	return reason(completed.complete())
}

func (p *AdaptivePolicy) wrong() string {
	completed := *p
	return reason(completed.complete())
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return fault.InfoOf(err)
}
