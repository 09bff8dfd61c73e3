package draw

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/futoin-go/asyncsteps/flow"
)

// label returns the text of a part of a plan, as lines without unprintable characters.
func label(t *flow.Tree) []string {
	title := printable(t.Kind)
	switch {
	case t.Name != "":
		title += " " + strconv.Quote(t.Name)
	case t.Func != "":
		title += " " + printable(t.Func)
	}
	lines := append(make([]string, 0, 4), title, printable(t.Path), typeText(t.In)+" → "+typeText(t.Out))
	if len(t.Parameters) == 0 {
		return lines
	}
	set := make([]string, len(t.Parameters))
	for i, p := range t.Parameters {
		set[i] = printable(p.String())
	}
	return append(lines, strings.Join(set, ", "))
}

// typeText returns the name of a type with only the last elements of the paths of packages, as in
// map[string]shop.Order.
func typeText(name string) string {
	var b strings.Builder
	rest := printable(name)
	for {
		i := strings.IndexAny(rest, "/[]*(){},; \"")
		if i < 0 {
			b.WriteString(rest)
			return b.String()
		}
		if rest[i] != '/' {
			b.WriteString(rest[:i+1])
		}
		rest = rest[i+1:]
	}
}

// printable returns s. If s has unprintable characters or isn't valid UTF-8, printable quotes it as in Go source.
func printable(s string) string {
	seen := utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
	if seen {
		return s
	}
	return strconv.Quote(s)
}
