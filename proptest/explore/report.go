package explore

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/observe"
)

// Reproduce fails t as the runs of the incident have failed. It calls [Follow] with the incident and body. If all events come as
// recorded and body returns an error, the report has that error, the last events and the functions that must be fakes. If a
// short schedule was found, the report also has a test to keep. That test needs the recorded answers and the schedule, but not the
// recording. It will pass when the mistake is mended. If body returns nil, Reproduce passes, and logs how many events came.
//
// Reproduce also fails t if the runs do something else than recorded: the report says at which event, and what the reason may
// be. If the incident can't be reproduced, see [ErrIncident], Reproduce fails t as well.
func Reproduce(t testing.TB, in Incident, body Body) {
	t.Helper()
	r := Follow(in, body)
	if r.Departed != nil || r.Err != nil {
		t.Fatal(r.report(t.Name(), nameOf(body)))
	}
	t.Logf("all %d events came as they were recorded%s", r.events, strings.Join(r.gaps, ""))
}

func (r *Reproduction) report(test, body string) string {
	var b strings.Builder
	if r.Departed != nil {
		fmt.Fprintf(&b, "%v\n", r.Departed)
	} else {
		fmt.Fprintf(&b, "%v\n\nall %d events came as they were recorded%s\n", r.Err, r.events, strings.Join(r.gaps, ""))
	}
	r.writeMoments(&b)
	if len(r.Fakes) > 0 {
		b.WriteString("\nwhat these functions return isn't recorded, so they have to be fakes:\n")
		for _, f := range r.Fakes {
			fmt.Fprintf(&b, "\t%s\n", f)
		}
	}
	switch {
	case r.Short != nil:
		if r.Departed != nil {
			fmt.Fprintf(&b, "\nwith the recorded answers it fails like the recorded runs: %v\n", r.Short.Err)
		}
		fmt.Fprintf(&b, "\na test to keep, under the schedule %s (%d delays):\n%s", r.Short.Schedule, r.Short.Schedule.Delays(), r.Test(test, body))
	case r.Departed == nil:
		fmt.Fprintf(&b, "\nno schedule of at most %d delays fails so without the recording: keep that\n", mostDelays)
	}
	return b.String()
}

// lastMoments bounds how many moments a report prints.
const lastMoments = 12

func (r *Reproduction) writeMoments(b *strings.Builder) {
	if len(r.Moments) == 0 {
		return
	}
	b.WriteString("\nthe last of them:\n")
	for _, m := range r.Moments[max(0, len(r.Moments)-lastMoments):] {
		fmt.Fprintf(b, "\t%-12v run %d: %s", m.At, m.Run, m.Event)
		if m.State != "" {
			fmt.Fprintf(b, " [%s]", m.State)
		}
		b.WriteByte('\n')
	}
}

// Test returns the Go source of a test called name that fails under the schedule of r.Short, or "" if r.Short is nil. body is the
// name of the function that was given to [Follow].
func (r *Reproduction) Test(name, body string) string {
	if r.Short == nil {
		return ""
	}
	var b strings.Builder
	name = strings.ReplaceAll(name, "/", "_")
	fmt.Fprintf(&b, "// %s is an incident: %s\n", name, firstLine(r.Short.Err))
	for _, title := range r.titles {
		fmt.Fprintf(&b, "// %s\n", title)
	}
	fmt.Fprintf(&b, "func %s(t *testing.T) {\n", name)
	fmt.Fprintf(&b, "\terr := explore.Replay(%s, func(x *explore.Trial) error {\n", r.Short.Schedule.source())
	if r.Slow {
		b.WriteString("\t\tx.Slow()\n")
	}
	if len(r.Answers) > 0 {
		b.WriteString("\t\tx.Answers(\n")
		for _, a := range r.Answers {
			fmt.Fprintf(&b, "\t\t\texplore.Answer%s,\n", a.source())
		}
		b.WriteString("\t\t)\n")
	}
	fmt.Fprintf(&b, "\t\treturn %s(x)\n\t})\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n", body)
	return b.String()
}

func (s Schedule) source() string {
	s = s.trim()
	if len(s) == 0 {
		return "nil"
	}
	return "explore.Schedule{" + strings.ReplaceAll(s.String(), ".", ", ") + "}"
}

func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}

func (a Answer) source() string {
	s := fmt.Sprintf("{Run: %d, ", a.Run)
	if a.Path != "" {
		s += fmt.Sprintf("Path: %q, ", a.Path)
	}
	s += "After: " + durationSource(a.After)
	if a.Err != nil {
		s += ", Err: " + errorSource(a.Err)
	}
	return s + "}"
}

func durationSource(d time.Duration) string {
	switch {
	case d == Never:
		return "explore.Never"
	case d%time.Millisecond == 0:
		return fmt.Sprintf("%d * time.Millisecond", d/time.Millisecond)
	case d%time.Microsecond == 0:
		return fmt.Sprintf("%d * time.Microsecond", d/time.Microsecond)
	default:
		return fmt.Sprintf("%d * time.Nanosecond", d)
	}
}

// errorSource returns a Go expression for an error like err.
func errorSource(err error) string {
	switch err { //nolint:errorlint // only the values themselves have these names
	case context.Canceled:
		return "context.Canceled"
	case context.DeadlineExceeded:
		return "context.DeadlineExceeded"
	}
	if e, ok := err.(*fault.Error); ok && e != nil && e.Cause == nil { //nolint:errorlint // what it wraps would get lost
		return fmt.Sprintf("fault.New(%q, %q)", string(e.Code), e.Info)
	}
	return fmt.Sprintf("errors.New(%q)", err.Error())
}

// nameOf returns the name of body if it is a function declared in a package, and otherwise "body".
func nameOf(body Body) string {
	f := runtime.FuncForPC(reflect.ValueOf(body).Pointer())
	if f == nil {
		return "body"
	}
	name := f.Name()[strings.LastIndexByte(f.Name(), '/')+1:]
	if parts := strings.Split(name, "."); len(parts) == 2 {
		return parts[1]
	}
	return "body"
}

func (g *guide) fakes() (all []string) {
	for _, c := range g.calls {
		name := c.work.Name
		if name == "" {
			name = c.work.Kind
		}
		if line := fmt.Sprintf("%s (%v)", name, c.work.Site()); !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	return all
}

// gaps returns phrases about events that the recording lacks.
func (in Incident) gaps() (all []string) {
	for i, r := range in.runs {
		switch {
		case r.lost > 0:
			all = append(all, fmt.Sprintf("; of run %d %d events weren't kept, so what is between may have been different", i+1, r.lost))
		case !r.ended():
			all = append(all, fmt.Sprintf("; the recording ends before run %d", i+1))
		}
	}
	return all
}

func (in Incident) titles() (all []string) {
	for i, r := range in.runs {
		if end := r.events[len(r.events)-1]; end.kind == observe.RunEnd && end.err != nil {
			all = append(all, fmt.Sprintf("Run %d, of the plan %q, has failed: %s", i+1, r.name, firstLine(end.err)))
		}
	}
	return all
}

// departed returns an error for departures at the same event.
func (g *guide) departed(far []departure) error {
	d := far[0]
	r := &g.incident.runs[d.wanted.run]
	var b strings.Builder
	fmt.Fprintf(&b, "at event %d of %d: ", d.matched+1, len(g.merged))
	want := r.events[d.wanted.at]
	fmt.Fprintf(&b, "recorded was %v of run %d, after %v", want, d.wanted.run+1, want.at)
	var came []string
	for _, d := range far {
		if d.instead != "" && !slices.Contains(came, d.instead) {
			came = append(came, d.instead)
		}
	}
	if len(came) > 0 {
		b.WriteString("\ninstead came " + strings.Join(came[:min(len(came), 4)], "\n          or "))
	} else {
		b.WriteString("\nbut nothing more happens")
	}
	if hint := g.hint(d.wanted); hint != "" {
		b.WriteString("\n" + hint)
	}
	return fmt.Errorf("%w %s", ErrDeparted, b.String())
}

// hint returns a possible reason why an event doesn't come.
func (g *guide) hint(p position) string {
	r := &g.incident.runs[p.run]
	if !g.isBound(p.run) {
		hint := fmt.Sprintf("run %d, of the plan %q, isn't started: begin it by explore.Start, or by a step with the context of its scope", p.run+1, r.name)
		if len(g.strange) > 0 {
			hint += fmt.Sprintf("; started were others: %q", g.strange)
		}
		return hint
	}
	switch e := r.events[p.at]; {
	case r.lost > 0 && p.at == len(r.events)-1:
		return fmt.Sprintf("%d events before it weren't kept, so what has answered steps in them isn't known", r.lost)
	case e.kind == observe.Resumed:
		return "if the step waits for what comes from outside, give Trial.Run an Action that completes it"
	case e.kind == observe.Queued:
		return "if the guard was held by a run that isn't in the incident, record that as well"
	case e.kind == observe.Cancelled:
		return "if explore.Start hasn't begun the run, give Trial.Run an Action that cancels it: a cancel by its context comes on another\n" +
			"goroutine, for which the virtual loop doesn't wait"
	case e.kind == observe.TimedOut && e.path == "":
		return "the deadline of a context is that of the real time: the virtual loop can't have it"
	default:
		return "the plan, its input or what its functions do is another than was recorded"
	}
}
