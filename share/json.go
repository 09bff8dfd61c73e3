package share

import (
	"encoding/json"

	"github.com/futoin-go/asyncsteps/config"
	"github.com/futoin-go/asyncsteps/internal/jsonpolicy"
)

type writtenMemo struct {
	Lifetime *config.Duration `json:"lifetime"`
	Size     *int             `json:"size"`
}

func (p *MemoPolicy) written() *writtenMemo {
	return &writtenMemo{(*config.Duration)(&p.Lifetime), &p.Size}
}

// MarshalJSON writes the policy as an object, without its function:
//
//	{"lifetime":"1m0s","size":1000}
func (p MemoPolicy) MarshalJSON() ([]byte, error) { return json.Marshal(p.written()) }

// UnmarshalJSON reads what MarshalJSON writes. Fields that are absent keep their values, as does the function, so read into a
// policy with your defaults. A field that the policy doesn't have is an error. After any error the policy is as it was. A
// library for YAML that goes through JSON can read a policy too.
func (p *MemoPolicy) UnmarshalJSON(text []byte) error {
	return jsonpolicy.Read(text, p, (*MemoPolicy).written, func(*MemoPolicy) string { return "" })
}

type writtenBatch struct {
	Window *config.Duration `json:"window"`
	Most   *int             `json:"most"`
}

func (p *BatchPolicy) written() *writtenBatch {
	return &writtenBatch{(*config.Duration)(&p.Window), &p.Most}
}

// MarshalJSON writes the policy as an object:
//
//	{"window":"5ms","most":100}
func (p BatchPolicy) MarshalJSON() ([]byte, error) { return json.Marshal(p.written()) }

// UnmarshalJSON reads what MarshalJSON writes, as [MemoPolicy.UnmarshalJSON] does. A value that [NewBatch] would refuse is an
// error that names the field.
func (p *BatchPolicy) UnmarshalJSON(text []byte) error {
	return jsonpolicy.Read(text, p, (*BatchPolicy).written, (*BatchPolicy).bad)
}
