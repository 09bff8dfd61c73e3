package draw

import (
	"cmp"
	"strings"

	"github.com/futoin-go/asyncsteps/flow"
)

type line struct {
	size size
	text string
}

type size uint8

const (
	title size = iota
	small
	note
)

const (
	titleHeight = 18
	smallHeight = 15
	widest      = 44 // a longer text is cut to this number of characters
	mostLines   = 4  // largest number of small lines before the last one
)

func (l line) height() int {
	if l.size == title {
		return titleHeight
	}
	return smallHeight
}

func (l line) width() int {
	thousandths := 0
	for _, r := range l.text {
		thousandths += widthOf(r)
	}
	if l.size == title {
		return thousandths * 14 / 1000 // more than 13 pixels, because a title is bold
	}
	return thousandths * 11 / 1000
}

// widthOf returns the approximate width of a character in a sans-serif font, in thousandths of the size of the font. It errs
// on the wide side, because machines have different fonts.
func widthOf(r rune) int {
	switch {
	case strings.ContainsRune("ijl.,:;'|!I ", r):
		return 370
	case strings.ContainsRune("ft()[]{}r/\\-\"", r):
		return 450
	case strings.ContainsRune("mwMW@%→…", r):
		return 980
	case r >= 'A' && r <= 'Z':
		return 740
	case r < 0x2000:
		return 640
	default:
		return 1050
	}
}

// stepText returns the text in the box of a step: as the title its name, or else its function or kind, then the kind and the
// function unless they are the title, then its parameters.
func stepText(t *flow.Tree) []line {
	name := cmp.Or(t.Name, t.Func, t.Kind)
	about := make([]string, 0, 2)
	if name != t.Kind && t.Kind != "" {
		about = append(about, t.Kind)
	}
	if t.Func != "" && name != t.Func {
		about = append(about, t.Func)
	}
	return boxText(name, strings.Join(about, " "), t.Parameters)
}

func answerText(t *flow.Tree) []line {
	about := map[flow.Role]string{flow.RoleHandler: "on error", flow.RoleHook: "on cancel", flow.RoleUndo: "if the saga fails"}[t.Role]
	return boxText(cmp.Or(t.Name, t.Func, t.Kind, string(t.Role)), about, t.Parameters)
}

func boxText(name, about string, parameters []flow.Parameter) []line {
	lines := []line{{title, cut(printable(name))}}
	row, rows := cut(printable(about)), 0
	if row != "" && len(parameters) > 0 {
		row += " ·"
	}
	for i, p := range parameters {
		if rows == mostLines {
			row = "…" // the tooltip shows all parameters
			break
		}
		next := cut(printable(p.String()))
		if i < len(parameters)-1 {
			next += ","
		}
		if row != "" && len(row)+len(next) > widest {
			lines, row = append(lines, line{small, row}), ""
			rows++
		}
		row = strings.TrimSpace(row + " " + next)
	}
	if row != "" {
		lines = append(lines, line{small, row})
	}
	return lines
}

func cut(s string) string {
	n := 0
	for i := range s {
		if n++; n > widest {
			return s[:i] + "…"
		}
	}
	return s
}

// tooltip returns the text that is shown when the mouse is over a box.
func tooltip(t *flow.Tree) string {
	about := label(t)
	if t.Name != "" && t.Func != "" {
		about = append(about, "calls "+printable(t.Func))
	}
	return strings.Join(about, "\n")
}
