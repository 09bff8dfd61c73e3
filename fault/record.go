package fault

import (
	"fmt"
	"time"
)

// Event is one thing that happened in a run before the run ended with an
// error; see Error.Record.
type Event struct {
	At   time.Duration // since the run was started, by the clock of its loop
	What string        // in words: "step start", "timed out", …
	Path string        // of the step, like Error.Path; "" for an event of the run as a whole
	Name string        // the step's name, or else its function or kind
	Err  error         // the error of the event, or nil
}

// maxMoments bounds how many events of one record are printed.
const maxMoments = 64

func (p *printer) record(moments []Event) {
	if len(moments) == 0 {
		return
	}
	p.line("what happened before:")
	p.depth++
	defer func() { p.depth-- }()
	if earlier := len(moments) - maxMoments; earlier > 0 {
		p.line("… %d moments earlier", earlier)
		moments = moments[earlier:]
	}
	for _, m := range moments {
		p.line("%s", m.row())
	}
}

func (m Event) row() string {
	row := fmt.Sprintf("%-9s %s", m.At, line(m.What))
	if at := place(m.Path, m.Name); at != "" {
		row += " " + at
	}
	if m.Err == nil {
		return row
	}
	if e, ok := m.Err.(*Error); ok && e != nil {
		return row + ": " + e.head() // without the place where e was raised, which another event has
	}
	return row + ": " + text(m.Err)
}
