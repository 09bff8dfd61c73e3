package plantest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Recorder keeps lines of text in the order in which the steps of a test write them. The zero Recorder is empty. Only one
// goroutine at a time may use it.
type Recorder struct {
	Lines []string // the lines so far
}

// Recordf adds a line, formatted as by fmt.Sprintf.
func (r *Recorder) Recordf(format string, args ...any) {
	r.Lines = append(r.Lines, fmt.Sprintf(format, args...))
}

// Want fails tb unless the recorder has these lines, and no others. The Recorder keeps its lines.
func (r *Recorder) Want(tb testing.TB, lines ...string) {
	tb.Helper()
	if !slices.Equal(r.Lines, lines) { // true for no lines, whether the slice is nil or empty
		tb.Errorf("recorded:\n\t%s\nwant:\n\t%s", strings.Join(r.Lines, "\n\t"), strings.Join(lines, "\n\t"))
	}
}
