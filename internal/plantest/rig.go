package plantest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Rig is a loop in virtual time and a log of what has happened on it.
type Rig struct {
	*tooltest.Loop
	Log []string // the events so far
	tb  testing.TB
}

// NewRig returns a Rig. When tb ends, errors that were reported to the loop and callbacks that are left on it fail tb.
func NewRig(tb testing.TB) *Rig {
	tb.Helper()
	r := &Rig{Loop: NewLoop(tb), tb: tb}
	tb.Cleanup(func() {
		if n := r.Pending(); n != 0 {
			tb.Errorf("%d callbacks are left on the loop", n)
		}
	})
	return r
}

// Note adds an event to the log, formatted as by fmt.Sprintf. An event has no spaces.
func (r *Rig) Note(format string, args ...any) { r.Log = append(r.Log, fmt.Sprintf(format, args...)) }

// Want fails the test unless the log has exactly these events, separated by spaces, and empties the log.
func (r *Rig) Want(events string) {
	r.tb.Helper()
	if want := strings.Fields(events); !slices.Equal(r.Log, want) {
		r.tb.Errorf("happened:\n  %v\nwant:\n  %v", r.Log, want)
	}
	r.Log = nil
}
