package docscheck

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// program is made of one or more blocks of a page.
type program struct {
	page  string
	line  int
	lang  string // "go" if one of its blocks is Go
	newer string // the Go version that it needs, like "go1.27"; "" for any
	files []file
	shown *block // its output; nil if the page doesn't show it
}

type file struct{ name, text string }

// programs returns the programs of a page, and the excerpts, which belong to no program.
func (p page) programs() (programs []*program, excerpts []block) {
	var open *program
	for _, b := range p.blocks {
		switch name, newer := b.wants(); {
		case b.lang == "text" && open != nil:
			open.shown, open = &b, nil
		case b.lang == "go" && open != nil && open.lang == "go" && name == "" && !b.begins():
			last := &open.files[len(open.files)-1]
			last.text += "\n" + b.text
		case open != nil && name != "":
			open.files = append(open.files, file{name, b.text})
			if b.lang == "go" {
				open.lang = "go"
			}
		case b.lang == "go" && b.begins(), b.lang == "c", b.lang == "js":
			if name == "" {
				name = "main." + b.lang
			}
			open = &program{page: b.page, line: b.line, lang: b.lang, newer: newer, files: []file{{name, b.text}}}
			programs = append(programs, open)
		case b.lang == "go", b.lang == "text":
			excerpts = append(excerpts, b)
		}
	}
	return programs, excerpts
}

// wants parses the words after the language: the name of a file, or a version of Go.
func (b block) wants() (name, newer string) {
	for _, arg := range b.args {
		switch {
		case strings.HasPrefix(arg, "go1."):
			newer = arg
		case path.Ext(arg) != "":
			name = arg
		}
	}
	return name, newer
}

var packageClause = regexp.MustCompile(`(?m)^package \w+$`)

func (b block) begins() bool { return packageClause.MatchString(b.text) }

func (p *program) at() string { return fmt.Sprintf("%s:%d", p.page, p.line) }

// folder returns a name for the program's folder and executable.
func (p *program) folder() string {
	short := strings.TrimPrefix(strings.TrimSuffix(p.page, ".md"), "docs/")
	return fmt.Sprintf("%s_%d", strings.ToLower(strings.ReplaceAll(short, "/", "_")), p.line)
}

func (p *program) contains(what *regexp.Regexp) bool {
	return slices.ContainsFunc(p.files, func(f file) bool { return what.MatchString(f.text) })
}

var (
	mainFunc = regexp.MustCompile(`(?m)^(func|int) main\(`)
	testFunc = regexp.MustCompile(`(?m)^func Test\w+\(t \*testing\.T\)`)
	cgoBlock = regexp.MustCompile(`(?m)^import "C"$`)
)
