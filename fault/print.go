package fault

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// maxDepth bounds how deep printed causes are nested.
const maxDepth = 16

// Error returns one line: code, info, place in the plan, causes. It avoids repetition: if the
// text of a cause contains the code and the info, as when fmt.Errorf has wrapped them, Error
// prints only that text, and a failure that was raised again at another step is printed once,
// with both places. The place is left out if the info begins with it, as in "step 0/1 took longer
// than 1s". Line breaks in the texts become "; ". Secondary errors are counted at the end; %+v
// prints them. The code is left out for a Go error that carries none: its code is
// InternalError all the same, see [CodeOf]. For an error without a place in a plan, the line says
// where its step was built, if that is known.
func (e *Error) Error() string {
	said, more := e.brief(maxDepth)
	if more > 0 {
		said += fmt.Sprintf(" (and %d more)", more)
	}
	return said
}

// brief returns the line of Error without the number of secondary errors, and that number, which
// includes the secondary errors of the causes in the line. around holds the places of outer errors
// that add nothing but their places.
func (e *Error) brief(depth int, around ...string) (said string, more int) {
	if e == nil {
		return "<nil>", 0
	}
	infos, cause := e.news()
	inner, isFault := cause.(*Error)
	if isFault && len(infos) == 0 && depth > 0 && e.repeats(inner) {
		said, more = inner.brief(depth-1, places(e.where(e.Path, e.Name), around)...)
		return said, more + len(e.Secondary) - e.inherited()
	}
	said = e.head()
	if !isFault || len(infos) > 0 || depth == 0 {
		if told, already := e.retold(cause); already && len(infos) == 0 {
			said, cause = told, nil
		}
	}
	for _, where := range places(e.where(e.untold()), around) {
		if !strings.Contains(said, where) {
			said += where
		}
	}
	said = strings.Join(append([]string{said}, infos...), ": ")
	told, more := causeText(cause, depth)
	return said + told, more + len(e.Secondary) - min(e.inherited(), more)
}

// causeText returns the text for the cause of an error in the line of brief, and how many secondary errors the cause has.
func causeText(cause error, depth int) (told string, more int) {
	switch c := cause.(type) {
	case nil:
		return "", 0
	case *Error:
		if depth == 0 {
			return ": …", 0
		}
		told, more = c.brief(depth - 1)
	default:
		told = text(c)
	}
	if told == "" {
		return "", 0
	}
	return ": " + told, more
}

// repeats reports whether e and its cause c are one failure, raised at two steps: both have the same code, and the same info
// unless e has none.
func (e *Error) repeats(c *Error) bool {
	return c != nil && c.Code.known() == e.Code.known() && (e.Info == "" || e.Info == c.Info)
}

// retold returns the text of cause if cause has the code of e. If already is true the text contains
// the code and the info of e. InternalError needn't be in it, because that may stand for no code at all.
func (e *Error) retold(cause error) (told string, already bool) {
	if cause == nil || CodeOf(cause) != e.Code.known() {
		return "", false
	}
	told = text(cause)
	if inner := first(cause); inner != nil && inner != e && inner.Info == e.Info && strings.Contains(told, inner.head()) {
		return told, true
	}
	return told, e.Info != "" && strings.Contains(told, line(e.Info)) &&
		(e.Code.known() == InternalError || strings.Contains(told, e.Code.Error())) ||
		e.Info == "" && e.Code.known() != InternalError && first(cause) != nil && strings.Contains(told, e.Code.Error())
}

// head returns the code and the info, if there is one. It returns the info alone if that is the text of the cause and
// contains the code. It also does so if e wraps a Go error without a code, which the word InternalError would call a
// defect.
func (e *Error) head() string {
	switch {
	case e.Info == "":
		return line(e.Code.Error())
	case e.plain(), e.coded():
		return line(e.Info)
	default:
		return line(e.Code.Error() + ": " + e.Info)
	}
}

// plain reports whether e wraps a Go error that carries no code, and adds only
// the place of the failure.
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

// coded reports whether the info of e is the text of its cause and contains the code. The cause must
// be an *Error of the same code, or a Go error that wraps the bare Code.
func (e *Error) coded() bool {
	cause := e.further()
	if c, isFault := cause.(*Error); isFault && c != nil && c.Code.known() == e.Code.known() {
		return strings.HasPrefix(e.Info, e.Code.Error()) && line(e.Info) == text(c) && c.saidBy(e.Info)
	}
	for err := range tree(cause) {
		if code, coded := carried(err); coded {
			_, bare := err.(Code)
			return bare && code == e.Code.known() && line(e.Info) == text(cause) && strings.Contains(e.Info, e.Code.Error())
		}
	}
	return false
}

// places puts a place, unless it is "", before the places of outer errors.
func places(where string, around []string) []string {
	if where == "" {
		return around
	}
	return append([]string{" (" + where + ")"}, around...)
}

// untold returns the path and the name of the step, each as "" if the info has it already. The info of an error of the
// engine begins with "step ", the path, and the name of the step if the user gave it one. Otherwise the nearest name around
// the step stands before the path, as in `step "pay" › 0/1 took longer than 1s`.
func (e *Error) untold() (path, name string) {
	rest, ok := strings.CutPrefix(e.Info, "step ")
	if !ok || e.Path == "" {
		return e.Path, e.Name
	}
	if quoted, err := strconv.QuotedPrefix(rest); err == nil {
		rest = strings.TrimPrefix(rest[len(quoted):], " › ")
	}
	if rest, ok = cutWord(rest, e.Path); !ok {
		return e.Path, e.Name
	}
	if _, ok = cutWord(strings.TrimPrefix(rest, " "), e.Name); ok {
		return "", ""
	}
	return "", e.Name
}

// cutWord cuts word from the beginning of text, if a space or a colon follows it.
func cutWord(text, word string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(text, word)
	return rest, ok && rest != "" && strings.ContainsRune(" :", rune(rest[0]))
}

// where returns the given path and name of the step as "at …". If e has no path, it adds the place where
// the step was built.
func (e *Error) where(path, name string) string {
	at := place(path, name)
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

// news returns what the causes add to head: infos, and the cause to print next, nil if there is none.
// The error of a run has the declared error as its cause. So of a cause that has the same code, and that either
// wasn't raised in a run or is retold by e, news takes only the info, if that is new, and goes on with its cause.
func (e *Error) news() (infos []string, cause error) {
	said := e.Info
	cause = e.Cause
	for range maxNodes {
		switch c := cause.(type) {
		case *Error:
			if c.saidBy(said) {
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
			if told := line(said); told != "" && endsWith(told, text(c)) {
				return infos, nil
			}
			return infos, cause
		}
	}
	return infos, nil
}

// saidBy reports whether said is the text of e, or ends with it, and has more than the info of e. The
// info of a cancelled run, for example, is the text of the given reason.
func (e *Error) saidBy(said string) bool {
	return (e == nil || said != e.Info && strings.Contains(said, e.Info)) && endsWith(line(said), text(e))
}

// endsWith reports whether the info said is the text of a cause, or ends with it, as fmt.Sprintf("x: %v", cause) does.
func endsWith(said, cause string) bool {
	return said == cause || cause != "" && strings.HasSuffix(said, ": "+cause)
}

// retells reports whether e has all that its cause c says about a run: c was raised at the same
// step or names none, it has no levels and no record, and e.Secondary begins with its secondary errors.
// The error of a run retells the error that the engine made and gave to handlers.
func (e *Error) retells(c *Error) bool {
	return (c.Path == "" || c.Path == e.Path && c.Name == e.Name && c.Site == e.Site) &&
		len(c.Unwind)+len(c.Record) == 0 &&
		len(c.Secondary) <= len(e.Secondary) && slices.EqualFunc(c.Secondary, e.Secondary[:len(c.Secondary)], same)
}

// further follows the causes of e and skips errors that were raised in a run, have the code of e, and are retold by e. It
// returns the first other cause; nil if there is none.
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

// same reports whether a and b are the same value. Values that can't be compared are never the same.
func same(a, b error) bool {
	return a == nil && b == nil || reflect.ValueOf(a).Comparable() && a == b
}

// raised reports whether e looks like an error that was raised in a run.
func (e *Error) raised() bool { return e.Path != "" || len(e.Secondary)+len(e.Record) > 0 }

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

// text returns the text of err as one line. It calls fmt.Sprint, because an Error method of another package
// may panic. For an error that fmt prints as <nil>, such as a nil pointer, it returns "nil" and the type.
func text(err error) string {
	s := fmt.Sprint(err)
	if s == "<nil>" && err != nil {
		s = fmt.Sprintf("nil %T", err)
	}
	return line(s)
}

// line makes s one line of valid UTF-8 without control characters, so that foreign text can't forge lines of a log.
func line(s string) string {
	s = strings.ReplaceAll(strings.TrimRight(s, "\r\n"), "\n", "; ")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}
