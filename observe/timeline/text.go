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

// printable returns s if all of it can be seen, and otherwise s quoted as in Go source. XML, HTML and JSON may contain the
// result once it is escaped; it has no invisible characters, such as those that change the direction of the text.
func printable(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	return strconv.Quote(s)
}

// shortened returns s, cut off with an ellipsis if it has more than n characters.
func shortened(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

func short(err error) string {
	code := printable(string(fault.CodeOf(err)))
	if info := fault.InfoOf(err); info != "" {
		return code + ": " + printable(info)
	}
	return code
}

func (s *story) title() string {
	title := fmt.Sprintf("#%d %s", s.run.ID, printable(s.run.Name()))
	if s.run.Parent != 0 {
		title += fmt.Sprintf(", started by #%d", s.run.Parent)
	}
	return title
}

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

func (w wait) say() string {
	what := "waiting"
	if w.queued {
		what = "queued"
	}
	return fmt.Sprintf("%s: %v to %v, %v", what, w.from, w.to, w.to-w.from)
}
