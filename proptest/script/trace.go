package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/futoin-go/asyncsteps/fault"
)

// Trace records what happened in a program. Events and outcomes are JSON lists that begin with a word. Only Seq records the order
// of events of different flows.
type Trace struct {
	Strands map[string][]Event   `json:"strands"` // events by flow: the keys are root and branches, as in "0/4.1"
	Out     []Event              `json:"out"`     // how each root ended
	Seq     map[string][]string  `json:"seq,omitempty"`
	Marks   map[string][]int     `json:"marks,omitempty"` // sorted
	Occ     map[string]Occupancy `json:"occ,omitempty"`
}

// Occupancy is the largest number of flows in a section, and the number at the end.
type Occupancy struct {
	Max int `json:"max"`
	End int `json:"end"`
}

// Event is the JSON of one event or outcome, without blanks.
type Event string

// MarshalJSON returns the event.
func (e Event) MarshalJSON() ([]byte, error) { return []byte(e), nil }

// UnmarshalJSON reads an [Event], without blanks.
func (e *Event) UnmarshalJSON(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var x any
	if err := dec.Decode(&x); err != nil {
		return err
	}
	*e = event(x)
	return nil
}

func event(x any) Event {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(x); err != nil {
		return Event(`["unprintable"]`)
	}
	return Event(strings.TrimSpace(b.String()))
}

type recorder struct {
	Trace
	problems []error
}

func newRecorder(roots int) recorder {
	return recorder{Trace: Trace{
		Strands: make(map[string][]Event),
		Out:     make([]Event, roots),
		Seq:     make(map[string][]string),
		Marks:   make(map[string][]int),
		Occ:     make(map[string]Occupancy),
	}}
}

func (r *recorder) event(strand string, what []any) {
	r.Strands[strand] = append(r.Strands[strand], event(what))
}

func (r *recorder) seq(name, strand string) { r.Seq[name] = append(r.Seq[name], strand) }

func (r *recorder) mark(name string, tick int) {
	r.Marks[name] = append(r.Marks[name], tick)
	slices.Sort(r.Marks[name])
}

func (r *recorder) occupy(name string, change int) {
	o := r.Occ[name]
	o.End += change
	o.Max = max(o.Max, o.End)
	r.Occ[name] = o
}

// report records an error of the execution itself, not of the program.
func (r *recorder) report(err error) { r.problems = append(r.problems, err) }

func (r *recorder) succeeded(root int, args Args) { r.Out[root] = event([]any{"ok", args}) }

func (r *recorder) failed(root int, err error) {
	code, info := fault.CodeOf(err), fault.InfoOf(err)
	switch {
	case errors.Is(err, errCancel):
		r.Out[root] = event([]any{"cancelled"})
	case hidesInfo(code):
		r.Out[root] = event([]any{"err", code})
	case info == "":
		r.Out[root] = event([]any{"err", code, nil})
	default:
		r.Out[root] = event([]any{"err", code, info})
	}
}

// hidesInfo reports whether traces leave out the info of errors with the given code, because the info differs between
// implementations.
func hidesInfo(code fault.Code) bool {
	switch code {
	case fault.InternalError, fault.Timeout, fault.DefenseRejected, fault.LoopBreak, fault.LoopCont:
		return true
	default:
		return strings.HasPrefix(string(code), "Prom")
	}
}
