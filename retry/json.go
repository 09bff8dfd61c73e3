package retry

import (
	"encoding/json"
	"slices"

	"github.com/futoin-go/asyncsteps/config"
	"github.com/futoin-go/asyncsteps/fault"
)

type written struct {
	Tries         *int             `json:"tries"`
	Elapsed       *config.Duration `json:"elapsed"`
	Pause         *config.Duration `json:"pause"`
	Factor        *float64         `json:"factor"`
	MaxPause      *config.Duration `json:"maxPause"`
	Jitter        *float64         `json:"jitter"`
	MaxRetryAfter *config.Duration `json:"maxRetryAfter"`
	Codes         *[]fault.Code    `json:"codes,omitempty"`
	Budget        *writtenBudget   `json:"budget,omitempty"`
}

type writtenBudget struct {
	Share float64 `json:"share"`
	Floor int     `json:"floor"`
}

func (p *Policy) written() *written {
	w := &written{
		Tries: &p.Tries, Elapsed: (*config.Duration)(&p.Elapsed), Pause: (*config.Duration)(&p.Pause), Factor: &p.Factor,
		MaxPause: (*config.Duration)(&p.MaxPause), Jitter: &p.Jitter,
		MaxRetryAfter: (*config.Duration)(&p.MaxRetryAfter),
	}
	if p.Codes != nil {
		w.Codes = &p.Codes
	}
	if p.Budget != nil {
		w.Budget = &writtenBudget{p.Budget.b.share, p.Budget.b.floor}
	}
	return w
}

// MarshalJSON writes the policy as an object, without its functions:
//
//	{"tries":4,"elapsed":"0s","pause":"100ms","factor":2,"maxPause":"5s","jitter":1,"maxRetryAfter":"0s","codes":["CommError"],"budget":{"share":0.2,"floor":10}}
func (p Policy) MarshalJSON() ([]byte, error) { return json.Marshal(p.written()) }

// UnmarshalJSON reads what MarshalJSON writes. Fields that are absent keep their values, as do the functions, so read into a
// Policy with your defaults. A budget in the text is a new [Budget]; set the field afterwards if several policies share one.
// A value that [Of] would refuse, and a field that a Policy doesn't have, are errors that name the field. After any error the
// Policy is as it was. A library for YAML that goes through JSON can read a Policy too.
func (p *Policy) UnmarshalJSON(text []byte) error {
	q := *p
	w := q.written()
	w.Budget = nil
	q.Codes = slices.Clone(q.Codes) // otherwise decoding would overwrite the codes of p
	w.Codes = &q.Codes
	if err := config.Read(text, w); err != nil {
		return err
	}
	if w.Budget != nil {
		q.Budget = NewBudget(w.Budget.Share, w.Budget.Floor)
	}
	if bad := q.bad(); bad != "" {
		return &config.Error{Reason: bad}
	}
	*p = q
	return nil
}
