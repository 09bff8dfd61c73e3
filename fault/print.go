package fault

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// maxDepth bounds how far printing follows causes.
const maxDepth = 16

// Error is one line: code, info, place in the plan, causes. Line breaks inside
// (errors.Join makes them) become "; ". Secondary errors are only counted; %+v
// prints them. The code is left out for a Go error that carries none: it has
// InternalError all the same, see [CodeOf]. An error without a place in a plan
// says where its step was built, if it knows.
func (e *Error) Error() string { return e.brief(maxDepth) }

func (e *Error) brief(depth int) string {
	if e == nil {
		return "<nil>"
	}
	var b strings.Builder
	b.WriteString(e.head())
	if where := e.where(); where != "" {
		b.WriteString(" (" + where + ")")
	}
	infos, cause := e.news()
	for _, info := range infos {
		b.WriteString(": " + info)
	}
	switch c := cause.(type) {
	case nil:
	case *Error:
		if depth == 0 {
			b.WriteString(": …")
			break
		}
		b.WriteString(": " + c.brief(depth-1))
	default:
		if told := text(c); told != "" {
			b.WriteString(": " + told)
		}
	}
	if n := len(e.Secondary); n > 0 {
		fmt.Fprintf(&b, " (and %d more)", n)
	}
	return b.String()
}

// head is the code and the info. An error that came without a code reads as it
// did before a run took it up: nobody has said that it is a defect.
func (e *Error) head() string {
	switch {
	case e.Info == "":
		return line(e.Code.Error())
	case e.plain():
		return line(e.Info)
	default:
		return line(e.Code.Error() + ": " + e.Info)
	}
}

// plain reports whether e is a Go error that carries no code, with what the
// engine knows about it.
func (e *Error) plain() bool {
	cause := e.further()
	if cause == nil || e.Code.known() != InternalError {
		return false
	}
	for err := range tree(cause) {
		if _, coded := carried(err); coded {
			return false
		}
	}
	return line(e.Info) == text(cause)
}

// where is the step's path and name. An error of no run has no path: then it is
// the place where the step was built, if that is known.
func (e *Error) where() string {
	at := place(e.Path, e.Name)
	if at != "" {
		at = "at " + at
	}
	site := e.Site.String()
	switch {
	case e.Path != "" || site == "":
		return at
	case at == "":
		return "built at " + line(site)
	default:
		return at + ", built at " + line(site)
	}
}

// news is what the causes add to head. An error raised from a declared one has
// it as cause, and nobody wants to read the same code and info twice: a cause
// of the same code that isn't a failure of its own contributes its info, if
// new, and its own cause. The first other cause speaks for itself and for all
// below it; it is nil if there is none.
func (e *Error) news() (infos []string, cause error) {
	said := e.Info
	cause = e.Cause
	for range maxNodes {
		switch c := cause.(type) {
		case *Error:
			if c == nil && text(c) == line(said) {
				return infos, nil
			}
			if c == nil || c.Code.known() != e.Code.known() || c.raised() && !e.retells(c) {
				return infos, cause
			}
			if c.Info != "" && c.Info != said {
				said = c.Info
				infos = append(infos, line(c.Info))
			}
			cause = c.Cause
		case Code:
			if c.known() == e.Code.known() {
				return infos, nil
			}
			return infos, cause
		case nil:
			return infos, nil
		default:
			if told := line(said); told != "" && text(c) == told { // the info is its text already
				return infos, nil
			}
			return infos, cause
		}
	}
	return infos, nil
}

// retells reports whether e says all that its cause c says of a run: c was raised
// at the same step and has met nothing that e hasn't. So it is with an error that
// the engine has made and given to handlers, and the error of the run around it.
func (e *Error) retells(c *Error) bool {
	return (c.Path == "" || c.Path == e.Path && c.Name == e.Name && c.Site == e.Site) &&
		len(c.Unwind)+len(c.Record) == 0 &&
		len(c.Secondary) <= len(e.Secondary) && slices.EqualFunc(c.Secondary, e.Secondary[:len(c.Secondary)], same)
}

// further is the cause of e below those that it retells; nil if there is none.
func (e *Error) further() error {
	cause := e.Cause
	for range maxNodes {
		c, ok := cause.(*Error)
		if !ok || c == nil || c.Code.known() != e.Code.known() || !c.raised() || !e.retells(c) {
			break
		}
		cause = c.Cause
	}
	return cause
}

// same reports whether a and b are one value; of a type that can't be compared
// no two are.
func same(a, b error) bool {
	return a == nil && b == nil || reflect.ValueOf(a).Comparable() && a == b
}

// raised reports whether e tells of a run.
func (e *Error) raised() bool { return e.Path != "" || len(e.Secondary)+len(e.Record) > 0 }

// place is where a step stands and its name.
func place(path, name string) string {
	switch {
	case name == "":
		return line(path)
	case path == "":
		return fmt.Sprintf("%q", name)
	default:
		return fmt.Sprintf("%s %q", line(path), name)
	}
}

// text is err on one line. It goes through fmt because an Error method of
// somebody else may panic, and a failure must not turn into another one by
// being printed. A nil pointer in an error says of which type it is: that is the
// one thing by which its maker can be found.
func text(err error) string {
	s := fmt.Sprint(err)
	if s == "<nil>" && err != nil {
		s = fmt.Sprintf("nil %T", err)
	}
	return line(s)
}

// line makes s one printable line of valid UTF-8: foreign text must not be able
// to forge lines of a log.
func line(s string) string {
	s = strings.ReplaceAll(strings.TrimRight(s, "\r\n"), "\n", "; ")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}
