// Package jsonpolicy reads policies from JSON: after an error a policy is as it was.
package jsonpolicy

import "github.com/futoin-go/asyncsteps/config"

// Read sets the fields of p that text has. Fields that are absent keep their values. The function written returns the
// form of a policy in JSON, whose fields point to those of the policy. The function wrong returns what is wrong with a
// policy that was read, "" if nothing is. If Read returns an error, which is a [config.Error], p is unchanged.
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
