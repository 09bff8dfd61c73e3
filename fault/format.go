package fault

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// These bounds keep the text of an error short although a plan may be very deep.
const (
	maxMarks = 32   // levels of one error
	maxLines = 1000 // lines in all
)

// Format prints the logical unwind over several lines for %+v. For other verbs it prints the
// text of Error as fmt would.
func (e *Error) Format(f fmt.State, verb rune) {
	if verb != 'v' || !f.Flag('+') || e == nil {
		fmt.Fprintf(f, fmt.FormatString(f, verb), e.Error())
		return
	}
	p := printer{Writer: f}
	p.line("%s", e.head())
	p.details(e)
	p.stacks(e)
}

// printer writes lines, indented by the depth of nesting. It ignores errors of the Writer, as fmt does.
type printer struct {
	io.Writer
	depth int
	lines int
}

// line starts a new line, up to maxLines. The last line has no newline at its end, as callers of fmt expect.
func (p *printer) line(format string, args ...any) {
	if p.lines++; p.lines > maxLines {
		return
	}
	if p.lines > 1 {
		io.WriteString(p, "\n")
	}
	if p.lines == maxLines {
		io.WriteString(p, "…")
		return
	}
	io.WriteString(p, strings.Repeat("  ", p.depth))
	fmt.Fprintf(p, format, args...)
}

// details prints everything of e except its first line and the stacks.
func (p *printer) details(e *Error) {
	if p.lines > maxLines {
		return // nothing more is printed, and a walk through errors that wrap each other may take very long
	}
	p.depth++
	defer func() { p.depth-- }()
	if e.Path != "" || e.Name != "" || e.Site != (Site{}) {
		p.mark("raised", Frame{Path: e.Path, Name: e.Name, Site: e.Site})
	}
	p.trail(e)
	infos, cause := e.news()
	for _, info := range infos {
		p.line("caused by: %s", info)
	}
	if cause != nil {
		p.nested("caused by: ", cause)
	}
	for _, err := range e.Secondary {
		p.nested("also: ", err)
	}
	p.record(e.Record)
}

// trail prints the levels that the error passed. It leaves out the middle of a long trail.
func (p *printer) trail(e *Error) {
	marks := e.Unwind
	if len(marks) > 0 && marks[0].Path == e.Path && marks[0].What == Left {
		marks = marks[1:] // the line "raised" has printed this level
	}
	omitted := len(marks) - maxMarks
	for i, m := range marks {
		switch {
		case i < maxMarks/2 || i >= maxMarks/2+omitted:
			p.mark(m.What.String(), m)
		case i == maxMarks/2:
			p.line("… %d more levels", omitted)
		}
	}
}

func (p *printer) mark(what string, m Frame) {
	row := fmt.Sprintf("%-9s %s", what, place(m.Path, m.Name))
	if m.Kind != "" {
		row += " " + line(m.Kind)
	}
	if site := m.Site.String(); site != "" {
		row += fmt.Sprintf(" [%s %s]", line(site), line(base(m.Site.Func)))
	}
	p.line("%s", strings.TrimRight(row, " "))
}

// nested prints err below another error. If err is no *Error itself but wraps one, it
// prints the text of err and then the details of the wrapped error.
func (p *printer) nested(label string, err error) {
	inner := first(err)
	if inner == nil || p.depth > maxDepth {
		told := text(err)
		if told == "" {
			told = fmt.Sprintf("%T", err) // the type names at least the package
		}
		p.line("%s%s", label, line(told))
		return
	}
	if err == error(inner) {
		p.line("%s%s", label, inner.head())
	} else {
		p.line("%s%s", label, text(err))
	}
	p.details(inner)
}

// stacks prints the Go stacks of the panics in e's tree.
func (p *printer) stacks(e *Error) {
	for err := range tree(e) {
		panicked, ok := err.(*Panic)
		if !ok || panicked == nil || len(panicked.Stack) == 0 {
			continue
		}
		p.line("stack of %s", panicked.Error())
		for row := range bytes.Lines(panicked.Stack) {
			p.line("  %s", stackRow(row))
		}
	}
}

// stackRow returns row as line does. It replaces the tab before a file name with spaces.
func stackRow(row []byte) string {
	s, indented := strings.CutPrefix(string(row), "\t")
	s = line(s)
	if indented {
		return "    " + s
	}
	return s
}
