package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/observe"
)

// Incident holds the recordings of one or several runs, for [Reproduce]: which event came when, and with which error. It doesn't
// have the results of steps. It is immutable. The zero Incident has no run, and can't be reproduced.
type Incident struct {
	runs []recorded
	err  error // why the runs can't be reproduced, or nil
}

// ErrIncident is the error of an [Incident] that can't be reproduced: it has no run, lacks the beginning of a run, or has a
// recording that can't be read.
var ErrIncident = errors.New("explore: the incident can't be reproduced")

// recorded is a run of an incident.
type recorded struct {
	name   string // of its plan; "" if it isn't known
	events []event
	lost   int // events that weren't kept, see observe.Recording
}

func (r *recorded) ended() bool {
	return len(r.events) > 0 && r.events[len(r.events)-1].kind == observe.RunEnd
}

// resumes returns the index of the event with which the step that begins with event i goes on after its wait, or none if there is
// no such event.
func (r *recorded) resumes(i int) int {
	path := r.events[i].path
	for j, e := range r.events[i+1:] {
		if e.path != path || e.kind == observe.Suspended {
			continue
		}
		if e.kind == observe.Resumed {
			return i + 1 + j
		}
		break
	}
	return none
}

// raised returns the error that the step raises right after it goes on with event i, or nil.
func (r *recorded) raised(i int) error {
	if e, found := r.next(i); found && e.kind == observe.Raised {
		return e.err
	}
	return nil
}

// beside returns the different secondary errors of the run's last event, up to the constant few.
func (r *recorded) beside() (all []error) {
	e, ok := fault.AsType[*fault.Error](r.events[len(r.events)-1].err)
	if !ok || e == nil {
		return nil
	}
	for _, err := range e.Secondary {
		if len(all) < few && !slices.ContainsFunc(all, func(other error) bool { return textOf(other) == textOf(err) }) {
			all = append(all, err)
		}
	}
	return all
}

// next returns the next event of the step of event i.
func (r *recorded) next(i int) (e event, found bool) {
	for _, e := range r.events[i+1:] {
		if e.path == r.events[i].path {
			return e, true
		}
	}
	return e, false
}

// answers returns what the run got from outside: the answers to its waiting steps, and a cancel. A recording doesn't say which
// waiting steps are of step.Await, so there are answers for all of them. n is [Answer].Run. after returns [Answer].After: from is
// the index of the event with which the step or the run begins, and i that of the event that shows the answer.
func (r *recorded) answers(n int, after func(from, i int) time.Duration) (all []Answer) {
	for i, e := range r.events {
		switch e.kind {
		case observe.Cancelled:
			all = append(all, Answer{Run: n, After: after(0, i), Err: e.err})
		case observe.StepStart:
			if !r.suspends(i) {
				continue
			}
			a := Answer{Run: n, Path: e.path, After: Never}
			if j := r.resumes(i); j != none {
				a.After, a.Err = after(i, j), r.raised(j)
			}
			all = append(all, a)
		default:
		}
	}
	return all
}

// suspends reports whether the step that begins with event i waits.
func (r *recorded) suspends(i int) bool {
	e, found := r.next(i)
	return found && e.kind == observe.Suspended
}

// event is an event of a run, recorded or live.
type event struct {
	at      time.Duration // since the start of the first run
	order   int           // among the events of all runs; 0 if unknown
	kind    observe.Kind
	path    string // "" for the run itself
	label   string
	err     error // nil if there is none
	code    bool  // only the code of err is known
	brief   bool  // the text of err may lack places
	outcome string
	note    string
}

// FromRecorder returns the incident of runs that an [observe.Recorder] has kept. The runs may have been on several loops.
func FromRecorder(runs ...observe.Recording) Incident {
	var in Incident
	if len(runs) == 0 {
		return in.refused("there is no recording")
	}
	runs = slices.Clone(runs)
	slices.SortFunc(runs, func(a, b observe.Recording) int { return cmp.Compare(a.Run.ID, b.Run.ID) })
	began := runs[0].Run.Started
	for _, r := range runs {
		g := recorded{name: r.Run.Name(), lost: r.Lost}
		for _, e := range r.Entries {
			if e.Kind == observe.Progress {
				continue // it depends on the time alone
			}
			ev := event{at: r.Run.Started.Sub(began) + e.At, order: e.Order, kind: e.Kind, path: e.Path, label: e.Label(), err: e.Err, note: e.Note}
			if e.Kind == observe.Handled {
				ev.outcome = e.Outcome.String()
			}
			g.events = append(g.events, ev)
		}
		in.runs = append(in.runs, g)
	}
	return in.checked()
}

// FromError returns the incident of a failed run: err is the error of the run, to which [observe.Flight] has attached a record. The
// record doesn't have the name of the plan, so the first run that the body starts is taken for the failed one. If the body starts
// several runs, it must start that one first.
func FromError(err error) Incident {
	var in Incident
	e, ok := fault.AsType[*fault.Error](err)
	if !ok || e == nil || len(e.Record) == 0 {
		return in.refused("the error has no record of observe.Flight")
	}
	g := recorded{}
	for _, m := range e.Record {
		ev, known := told(m.What)
		if !known {
			return in.refused("the record has an unknown event %q", m.What)
		}
		if ev.kind == observe.Progress {
			continue
		}
		ev.at, ev.path, ev.label, ev.err = m.At, m.Path, m.Name, m.Err
		g.events = append(g.events, ev)
	}
	if len(g.events) == 0 {
		return in.refused("the record has only events of progress")
	}
	// The record has no event for the end of the run: observe.Flight makes it when it is told of that end.
	g.events = append(g.events, event{at: g.events[len(g.events)-1].at, kind: observe.RunEnd, err: e})
	in.runs = []recorded{g}
	return in.checked()
}

// told parses the text of an event in a flight record or the console. known is false if no kind of event has such a text.
func told(what string) (e event, known bool) {
	kind, more, _ := strings.Cut(what, ", ")
	for k := range observe.RunEnd + 1 {
		if k.String() != kind {
			continue
		}
		e.kind = k
		if k == observe.Handled {
			e.outcome = more
		} else {
			e.note = more
		}
		return e, true
	}
	return e, false
}

func (in Incident) refused(why string, args ...any) Incident {
	return Incident{err: fmt.Errorf("%w: %s", ErrIncident, fmt.Sprintf(why, args...))}
}

// checked returns in, or an incident that can't be reproduced if a run has no event or lacks its beginning.
func (in Incident) checked() Incident {
	for i, r := range in.runs {
		switch {
		case len(r.events) == 0:
			return in.refused("run %d has no event", i+1)
		case r.events[0].path != "" && (r.events[0].kind != observe.StepStart || r.events[0].path != "0"):
			return in.refused("the record of run %d begins with %v, what came before wasn't kept: keep more events", i+1, r.events[0])
		}
	}
	return in
}

// Errors returns the incident with the given values in place of errors with the same texts. An incident from the console has
// only texts, but errors.Is and errors.As in a plan look for values.
func (in Incident) Errors(values ...error) Incident {
	runs := slices.Clone(in.runs)
	for i := range runs {
		runs[i].events = slices.Clone(runs[i].events)
		for j, e := range runs[i].events {
			for _, v := range values {
				if e.err != nil && !e.code && v != nil && v.Error() == e.err.Error() {
					runs[i].events[j].err = v
				}
			}
		}
	}
	return Incident{runs, in.err}
}

// live returns e as an event of a run that was started at the given time of the loop.
func live(e observe.Event, started time.Duration) event {
	ev := event{at: started + e.At, kind: e.Kind, path: e.Path(), label: e.Label(), err: e.Err, note: e.Note}
	if e.Kind == observe.Handled {
		ev.outcome = e.Outcome.String()
	}
	return ev
}

func (e event) is(got event) bool {
	return e.kind == got.kind && e.path == got.path && sameName(e.label, got.label) && e.outcome == got.outcome && e.note == got.note &&
		e.sameError(got.err)
}

// but reports whether got differs from the recorded event e only in the number of secondary errors.
func (e event) but(got event) bool {
	if e.err == nil || got.err == nil || e.is(got) {
		return false
	}
	e.err, got.err = errors.New(besides.ReplaceAllString(e.err.Error(), "")), errors.New(besides.ReplaceAllString(got.err.Error(), ""))
	return e.is(got)
}

// besides finds the number of secondary errors in the text of an error.
var besides = regexp.MustCompile(` \(and \d+ more\)`)

func (e event) sameError(got error) bool {
	switch {
	case e.err == nil || got == nil:
		return e.err == nil && got == nil
	case e.code:
		return e.err.Error() == string(fault.CodeOf(got))
	}
	want, text := e.err.Error(), got.Error()
	if e.brief {
		want, text = reason(want), reason(text)
		if cut, is := strings.CutSuffix(want, "…"); is {
			return strings.HasPrefix(text, cut)
		}
	}
	return want == text
}

// atLine finds the number of the line at the end of an anonymous function's name, which changes with the code above.
var atLine = regexp.MustCompile(`:\d+$`)

func sameName(a, b string) bool {
	return a == b || atLine.ReplaceAllString(a, "") == atLine.ReplaceAllString(b, "")
}

// String returns the event in words, without its time.
func (e event) String() string {
	var b strings.Builder
	b.WriteString(e.kind.String())
	for _, more := range []string{e.outcome, e.note} {
		if more != "" {
			b.WriteString(", " + more)
		}
	}
	if e.path != "" {
		fmt.Fprintf(&b, " %s %q", e.path, e.label)
	}
	if e.err != nil {
		b.WriteString(": " + e.err.Error())
	}
	return b.String()
}

// known are the errors that errorOf recognises by their texts.
var known = []error{context.Canceled, context.DeadlineExceeded}

// coded matches what is probably the code of an error of package fault.
var coded = regexp.MustCompile(`^[A-Z][A-Za-z]+$`)
