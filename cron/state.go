package cron

import (
	"encoding/json"
	"time"
)

// State tells how a job of a [Table] is doing. In JSON the text of Err has the key "error", and times that are zero are
// left out.
type State struct {
	Name string `json:"name"`
	Spec string `json:"spec"` // Job.Spec; "every 1m0s" for a Period without one

	// Next is when the next round is due, with its jitter, also while a round is at work. It is zero if Next of the job has
	// returned zero, if the job is paused, has ended or was removed, and if no run lives or the table was stopped. With Each it is
	// in the past while a round that is due waits for the one at work.
	Next    time.Time `json:"next,omitzero"`
	Paused  bool      `json:"paused,omitzero"`  // set by Table.Pause
	Running time.Time `json:"running,omitzero"` // when the round that is at work began, zero if none is

	Rounds int `json:"rounds"` // rounds that have ended
	// Failed counts the ended rounds that have failed, or were left before their end. A rejection by a guard in Work is a failure.
	Failed int `json:"failed"`
	// Skipped counts the times that have come while a round was at work, and have no round of their own: with Skip all of them,
	// with Later all but one.
	Skipped int       `json:"skipped"`
	Began   time.Time `json:"began,omitzero"` // when the last round that has ended began
	Ended   time.Time `json:"ended,omitzero"` // when it ended
	Err     error     `json:"-"`              // the error of that round, nil if it succeeded; ErrReplaced if another round has taken its place
}

// MarshalJSON implements json.Marshaler.
func (s State) MarshalJSON() ([]byte, error) {
	type state State // without this method
	all := struct {
		state
		Error string `json:"error,omitempty"`
	}{state: state(s)}
	if s.Err != nil {
		all.Error = s.Err.Error()
	}
	return json.Marshal(all)
}
