package httpx

import (
	"encoding/json"

	"github.com/futoin-go/asyncsteps/config"
	"github.com/futoin-go/asyncsteps/internal/jsonpolicy"
	"github.com/futoin-go/asyncsteps/retry"
)

type written struct {
	Retry          *retry.Policy    `json:"retry"`
	Limit          *config.Duration `json:"limit"`
	Hedge          *config.Duration `json:"hedge"`
	Hedges         *int             `json:"hedges"`
	DeadlineHeader *string          `json:"deadlineHeader"`
}

func (p *Policy) written() *written {
	return &written{
		&p.Retry, (*config.Duration)(&p.Limit), (*config.Duration)(&p.Hedge), &p.Hedges, &p.DeadlineHeader,
	}
}

// MarshalJSON writes the policy as an object, without its functions and guards. The example shows two fields of the retry.Policy:
//
//	{"retry":{"tries":4,"pause":"100ms"},"limit":"2s","hedge":"500ms","hedges":1,"deadlineHeader":""}
func (p Policy) MarshalJSON() ([]byte, error) { return json.Marshal(p.written()) }

// UnmarshalJSON reads what MarshalJSON writes. Fields that are absent keep their values, as do functions and guards, so read into a
// Policy with your defaults. A value that [Transport.Err] would report and a field that a Policy doesn't have are errors that name
// the field. After an error the Policy is as it was. A YAML library that converts to JSON can read a Policy too.
func (p *Policy) UnmarshalJSON(text []byte) error {
	return jsonpolicy.Read(text, p, (*Policy).written, (*Policy).bad)
}
