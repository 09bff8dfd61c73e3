package draw_test

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
)

// odd holds texts for the fuzz tests. Most of them end a quote, or have a meaning, in one of the languages.
var odd = []string{
	"", "plain", `"`, `\`, `\"`, `\\"`, `"]; n0 -> n0; "`, `"] end subgraph x`, "\n", "a\r\nb", "\x00", "\xff", "\u202e", "\u00a0",
	`&quot;`, `#quot;`, `#34;`, "`", "```", "%%{init: {}}%%", "<script>", "style a:#1;", "-->", `\N`, `\l`, "end", "1. x", "www.x.y", "éдом🙂", "ﬂ°°60¶ß",
}

// named returns a plan of a step with a handler. Kinds, names, paths and types are the text.
func named(text string) *flow.Tree {
	inner := &flow.Tree{Kind: text, Name: text, Path: text, In: text, Out: text, Role: flow.RoleHandler}
	outer := &flow.Tree{Kind: text, Name: text, Path: text, In: text, Out: text, Role: flow.RoleStep, Holds: []*flow.Tree{inner}}
	return &flow.Tree{In: text, Out: text, Role: flow.RolePlan, Holds: []*flow.Tree{outer}}
}

// drawn returns the labels of a picture, and the picture without them.
func drawn(t *testing.T, write func(io.Writer, *flow.Tree, ...draw.Marks) error, label *regexp.Regexp, plan *flow.Tree) (labels []string, rest string) {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, plan); err != nil {
		t.Fatal(err)
	}
	for _, found := range label.FindAllString(b.String(), -1) {
		labels = append(labels, found[1:len(found)-1])
	}
	return labels, label.ReplaceAllString(b.String(), "LABEL")
}

// shown reports whether pictures show text unchanged.
func shown(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar })
}

// check tests one language: the picture without its labels doesn't depend on text, and the labels show it if shown
// reports so.
func check(t *testing.T, write func(io.Writer, *flow.Tree, ...draw.Marks) error, label *regexp.Regexp, read func(string) string, text string) {
	t.Helper()
	_, want := drawn(t, write, label, named("x"))
	labels, rest := drawn(t, write, label, named(text))
	if rest != want {
		t.Errorf("%q breaks out:\n%s\nwant\n%s", text, rest, want)
	}
	if !shown(text) || text == "" {
		return
	}
	named := 0
	for _, label := range labels {
		if strings.HasPrefix(read(label), text+" "+strconv.Quote(text)) {
			named++
		}
	}
	if named != 2 { // the step and its handler; the ends have no name
		t.Errorf("%q stands in %d of %q", text, named, labels)
	}
}

// dotLabel matches a quoted string as the scanner of Graphviz does.
var dotLabel = regexp.MustCompile(`(?s)"(\\.|[^"\\])*"`)

// readDOT resolves the escapes and entities of a label.
func readDOT(label string) string {
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n", "&amp;", "&").Replace(label)
}

func FuzzDOT(f *testing.F) {
	for _, text := range odd {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		check(t, draw.DOT, dotLabel, readDOT, text)
	})
}

// Mermaid has no escapes: the next quote ends a label.
var mermaidLabel = regexp.MustCompile(`(?s)"[^"]*"`)

var entity = regexp.MustCompile(`#[0-9]+;`)

func readMermaid(label string) string {
	return entity.ReplaceAllStringFunc(label, func(e string) string {
		n, err := strconv.Atoi(e[1 : len(e)-1])
		if err != nil {
			return e
		}
		return string(rune(n))
	})
}

// harmless matches labels without characters that have a meaning, after their entities, line breaks and printable
// non-ASCII characters were removed.
var harmless = regexp.MustCompile(`^[ /,A-Za-z0-9]*$`)

func FuzzMermaid(f *testing.F) {
	for _, text := range odd {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		check(t, draw.Mermaid, mermaidLabel, readMermaid, text)
		labels, _ := drawn(t, draw.Mermaid, mermaidLabel, named(text))
		for _, label := range labels {
			plain := strings.Map(func(r rune) rune {
				if r > unicode.MaxASCII && unicode.IsPrint(r) {
					return -1
				}
				return r
			}, entity.ReplaceAllString(strings.ReplaceAll(label, "<br>", ""), ""))
			if !harmless.MatchString(plain) || strings.ContainsAny(label, "ﬂ¶") {
				t.Errorf("the label of %q has %q", text, plain)
			}
		}
	})
}
