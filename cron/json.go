package cron

import (
	"encoding/json"

	"github.com/futoin-go/asyncsteps/config"
	"github.com/futoin-go/asyncsteps/internal/jsonpolicy"
)

type written struct {
	Name    *string          `json:"name"`
	Period  *config.Duration `json:"period"`
	Jitter  *config.Duration `json:"jitter"`
	Limit   *config.Duration `json:"limit"`
	Overlap *Overlap         `json:"overlap"`
}

func (j *Job) written() *written {
	return &written{
		&j.Name, (*config.Duration)(&j.Period), (*config.Duration)(&j.Jitter), (*config.Duration)(&j.Limit), &j.Overlap,
	}
}

// MarshalJSON writes the job as an object, without Next, Spec and Work:
//
//	{"name":"sweep","period":"1m0s","jitter":"5s","limit":"30s","overlap":"skip"}
func (j Job) MarshalJSON() ([]byte, error) { return json.Marshal(j.written()) }

// UnmarshalJSON reads what MarshalJSON writes. Fields that are absent keep their values, as do Next, Spec and Work, so read into a
// Job with your defaults. An invalid value and a field that a Job doesn't have are errors that name the field. After an error the
// Job is as it was. A YAML library that converts to JSON can read a Job too.
func (j *Job) UnmarshalJSON(text []byte) error {
	return jsonpolicy.Read(text, j, (*Job).written, (*Job).badTimes)
}
