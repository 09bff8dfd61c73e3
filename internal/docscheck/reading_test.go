package docscheck

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each test page is parsed into programs, with their files and output, and excerpts. A ~ stands for a fence.
func TestReading(t *testing.T) {
	for _, tt := range []struct{ reason, page, want string }{
		{"a program and its output", "~go\npackage main\n~\nprints\n~text\n42\n~\n", "main.go(package main) = 42"},
		{"a program that nobody shows the output of", "~go\npackage main\n~\n", "main.go(package main)"},
		{"it goes on", "~go\npackage main\n~\nand\n~go\nfunc f() {}\n~\n", "main.go(package main;;func f() {})"},
		{"it has ended", "~go\npackage main\n~\n~text\n42\n~\n~go\nf()\n~\n", "main.go(package main) = 42, excerpt f()"},
		{"the next one begins", "~go\npackage main\n~\n~go\npackage main\n~\n", "main.go(package main), main.go(package main)"},
		{"files by name", "~c a.c\nint i;\n~\n~go a.go\npackage a\n~\n~go a_test.go\npackage a\n~\n~go\nvar b int\n~\n", "a.c(int i;)+a.go(package a)+a_test.go(package a;;var b int)"},
		{"it fails", "~go\npackage main\n~\n~text exit 1\nno\n~\n", "main.go(package main) = no, exit"},
		{"for a newer Go", "~go go1.27\npackage main\n~\n", "main.go(package main) for go1.27"},
		{"others", "~c\nint i;\n~\n~text\n1\n~\n~js\nlet i;\n~\n", "main.c(int i;) = 1, main.js(let i;)"},
		{"excerpts", "~go\nx := 1\n~\n~text\ny\n~\n", "excerpt x := 1, excerpt y"},
		{"what is not read", "~sh\nls\n~\n", ""},
		{"lines of Windows", "~go\r\npackage main\r\n~\r\n", "main.go(package main)"},
	} {
		p := read("a.md", strings.ReplaceAll(tt.page, "~", "```"))
		if diff := cmp.Diff(tt.want, outline(p)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

func outline(p page) string {
	programs, excerpts := p.programs()
	var all []string
	for _, p := range programs {
		var files []string
		for _, f := range p.files {
			files = append(files, fmt.Sprintf("%s(%s)", f.name, flat(f.text)))
		}
		text := strings.Join(files, "+")
		if p.newer != "" {
			text += " for " + p.newer
		}
		if p.shown != nil {
			text += " = " + flat(p.shown.text)
		}
		if p.fails() {
			text += ", exit"
		}
		all = append(all, text)
	}
	for _, b := range excerpts {
		all = append(all, "excerpt "+flat(b.text))
	}
	return strings.Join(all, ", ")
}

func flat(text string) string {
	return strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", ";")
}

func TestAFenceThatIsNotClosed(t *testing.T) {
	p := read("a.md", "```go\npackage main\n")
	if len(p.blocks) != 1 || p.blocks[0].lang != "" {
		t.Errorf("read as %+v", p.blocks)
	}
}

func TestAnchors(t *testing.T) {
	for title, want := range map[string]string{
		"Again":                         "again",
		"Timers, channels, other runs":  "timers-channels-other-runs",
		"Stay with errgroup if":         "stay-with-errgroup-if",
		"What can't be a method":        "what-cant-be-a-method",
		"§1 Concept":                    "1-concept",
		"A step, `step.Await` included": "a-step-stepawait-included",
	} {
		if got := anchor(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}
