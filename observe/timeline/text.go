package timeline

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/observe"
)

// printable is s if it can be seen, otherwise s as Go source writes it: so it is
// what XML, HTML and JSON may contain, and nothing in it changes the direction of
// writing.
func printable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	return strconv.Quote(s)
}

// shortened is s in at most n characters.
func shortened(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// short says what an error is: its code, and what it tells a person.
func short(err error) string {
	code := printable(string(fault.CodeOf(err)))
	if info := fault.InfoOf(err); info != "" {
		return code + ": " + printable(info)
	}
	return code
}

// title is how a run is called.
func (s *story) title() string {
	title := fmt.Sprintf("#%d %s", s.run.ID, printable(s.run.Name()))
	if s.run.Parent != 0 {
		title += fmt.Sprintf(", started by #%d", s.run.Parent)
	}
	return title
}

// outcome is how a run has ended.
func (s *story) outcome() string {
	var said string
	switch {
	case !s.ended:
		said = "still running"
	case s.err == nil:
		said = "ended with a value"
	default:
		said = "ended with " + short(s.err)
	}
	if s.lost > 0 {
		said += fmt.Sprintf(" (%d events not recorded)", s.lost)
	}
	return said
}

// say is a mark in words.
func (m mark) say() string {
	said := m.kind.String()
	if m.kind == observe.Handled {
		said += ", " + m.outcome.String()
	}
	if m.note != "" {
		said += ", " + m.note
	}
	if m.err != nil {
		said += ": " + short(m.err)
	}
	return said
}

// say is what a person is told of a step.
func (l *life) say() string {
	said := fmt.Sprintf("%s %s: %v to %v, %v", l.path, l.label, l.from, l.to, l.to-l.from)
	switch {
	case !l.ended:
		said += ", end not recorded"
	case l.err != nil:
		said += ", left by " + short(l.err)
	}
	return said
}

// say is what a person is told of a wait.
func (w wait) say() string {
	what := "waiting"
	if w.queued {
		what = "queued"
	}
	return fmt.Sprintf("%s: %v to %v, %v", what, w.from, w.to, w.to-w.from)
}
