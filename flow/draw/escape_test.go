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

// odd are texts that end quotes, or mean something, somewhere.
var odd = []string{
	"", "plain", `"`, `\`, `\"`, `\\"`, `"]; n0 -> n0; "`, `"] end subgraph x`, "\n", "a\r\nb", "\x00", "\xff", "\u202e", "\u00a0",
	`&quot;`, `#quot;`, `#34;`, "`", "```", "%%{init: {}}%%", "<script>", "style a:#1;", "-->", `\N`, `\l`, "end", "1. x", "www.x.y", "éдом🙂", "ﬂ°°60¶ß",
}

// named is a plan with text wherever a Tree has some.
func named(text string) *flow.Tree {
	inner := &flow.Tree{Kind: text, Name: text, Path: text, In: text, Out: text, Role: flow.RoleHandler}
	outer := &flow.Tree{Kind: text, Name: text, Path: text, In: text, Out: text, Role: flow.RoleStep, Holds: []*flow.Tree{inner}}
	return &flow.Tree{In: text, Out: text, Role: flow.RolePlan, Holds: []*flow.Tree{outer}}
}

// drawn gives the labels, and the picture without them.
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

// shown is a text as pictures show it, if every character can be seen.
func shown(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar })
}

// check looks at one language: whatever the names are, the picture without its
// labels is that of any other name, and the labels say the name.
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

// A quoted string of Graphviz, as its scanner reads it.
var dotLabel = regexp.MustCompile(`(?s)"(\\.|[^"\\])*"`)

// readDOT resolves escapes and entities.
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

// Mermaid knows no escapes: a quote ends a label.
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

// What is left of a label without entities and line breaks means nothing.
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
