package sqlite

import (
	"strconv"
	"time"
)

// kind is the kind of an event. Its number and its name are part of the format of the file.
type kind int

const (
	started   kind = iota + 1 // data: the input
	completed                 // name: the key of a call; data: its result
	failed                    // name: the key of a call; data: its error
	fired                     // the first timer is due
	signalled                 // name: of the signal; data: its value
	cancelled
	adopted // data: the number of the plan that the run goes on with
	anew    // data: a beginning
	succeeded
	broken // data: the error of the run
)

// kinds are the names of the kinds, as an exported history has them.
var kinds = [...]string{
	started: "started", completed: "completed", failed: "failed", fired: "fired", signalled: "signalled", cancelled: "cancelled",
	adopted: "adopted", anew: "anew", succeeded: "succeeded", broken: "broken",
}

// String returns the name of the kind, or its number if this program doesn't know it.
func (k kind) String() string {
	if k < started || k > broken {
		return strconv.Itoa(int(k))
	}
	return kinds[k]
}

// event is a row of the history of a run. The events of a run, in the order in which they were committed, decide everything that the
// run does.
type event struct {
	n    int64 // number of the row: the order of all events of the file
	at   int64 // nanoseconds of Unix time, by the engine's clock
	kind kind
	name string
	data []byte
}

func (e event) time() time.Time { return time.Unix(0, e.at) }

// beginning holds the input with which a run begins anew.
type beginning struct {
	Generation int      `json:"generation"`
	In         []byte   `json:"in"`
	Signals    []signal `json:"signals,omitempty"`
}

// signal is a signal that no step has received yet.
type signal struct {
	Name  string `json:"name"`
	Value []byte `json:"value"`
}
