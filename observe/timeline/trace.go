package timeline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/futoin-go/asyncsteps/observe"
)

// WriteTrace writes runs in the trace event format, as a JSON object with one event per
// line. Open it at ui.perfetto.dev or chrome://tracing.
//
// A run is a process, named after its plan; each of its parallel branches is a thread. Steps are slices, nested as the steps
// hold each other. The times in which a step waits or is queued are slices inside the slice of the step. Errors raised and
// handled, timeouts, cancels, changes of guards and the last numbers of streams are instant events. An arrow leads from a step
// that started another run to that run. Times are microseconds since the first run was started.
//
// WriteTrace returns the error of w.
func WriteTrace(w io.Writer, runs ...observe.Recording) error {
	t := traceWriter{zero: first(runs), runs: make(map[uint64]*observe.Recording), children: make(map[moment][]*observe.Recording)}
	for i := range runs {
		t.add(&runs[i])
	}
	t.buf.WriteString(`{"displayTimeUnit":"ms","traceEvents":[`)
	for i := range runs {
		t.run(&runs[i])
	}
	t.buf.WriteString("\n]}\n")
	if t.err != nil {
		return t.err
	}
	_, err := w.Write(t.buf.Bytes())
	return err
}

// Phases of trace events.
const (
	phaseBegin     = "B"
	phaseEnd       = "E"
	phaseInstant   = "i"
	phaseName      = "M"
	phaseFlowStart = "s"
	phaseFlowEnd   = "f"
)

type traceEvent struct {
	Name  string            `json:"name,omitempty"`
	Cat   string            `json:"cat,omitempty"`
	Phase string            `json:"ph"`
	Time  float64           `json:"ts"` // microseconds
	PID   uint64            `json:"pid"`
	TID   int               `json:"tid"`
	ID    uint64            `json:"id,omitempty"`
	Bind  string            `json:"bp,omitempty"`
	Scope string            `json:"s,omitempty"`
	Args  map[string]string `json:"args,omitempty"`
}

// moment is the point at which a run has started another run. after is how many events the first run had then.
type moment struct {
	run   uint64
	after int
}

type traceWriter struct {
	buf      bytes.Buffer
	err      error
	zero     time.Time
	runs     map[uint64]*observe.Recording
	children map[moment][]*observe.Recording
	events   int
}

func (t *traceWriter) add(r *observe.Recording) {
	t.runs[r.Run.ID] = r
	at := moment{r.Run.Parent, r.After}
	t.children[at] = append(t.children[at], r)
}

func (t *traceWriter) put(e traceEvent) {
	line, err := json.Marshal(e)
	if err != nil {
		t.err = err
		return
	}
	if t.events > 0 {
		t.buf.WriteByte(',')
	}
	t.events++
	t.buf.WriteByte('\n')
	t.buf.Write(line)
}

func (t *traceWriter) run(r *observe.Recording) {
	p := process{traceWriter: t, recording: r, start: r.Run.Started.Sub(t.zero), threads: make(map[string]*thread)}
	p.begin()
	for i, e := range r.Entries {
		p.entry(e)
		for _, child := range t.children[moment{r.Run.ID, i + 1}] {
			p.starts(child, e)
		}
	}
	p.end()
}

func called(run observe.Run) string { return fmt.Sprintf("%s #%d", printable(run.Name()), run.ID) }
