// Package jsonpolicy reads policies from JSON.
package jsonpolicy

import "github.com/futoin-go/asyncsteps/config"

// Read sets the fields of p that text has; absent fields keep their values. written returns the JSON form of a policy, whose
// fields point to those of the policy. wrong returns what is wrong with a policy that was read, or "". An error is a
// [*config.Error], and leaves p unchanged.
func Read[Policy, Written any](text []byte, p *Policy, written func(*Policy) *Written, wrong func(*Policy) string) error {
	read := *p
	if err := config.Read(text, written(&read)); err != nil {
		return err
	}
	if reason := wrong(&read); reason != "" {
		return &config.Error{Reason: reason}
	}
	*p = read
	return nil
}
