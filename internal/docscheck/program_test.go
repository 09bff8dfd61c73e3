package docscheck

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// program is what blocks of a page make together.
type program struct {
	page  string
	line  int
	lang  string // "go" if any of it is
	newer string // the Go it needs, "go1.27"; "" is any
	files []file
	shown *block // what it prints; nil if the page doesn't say
}

type file struct{ name, text string }

// programs gives the programs of a page, and the excerpts, which belong to none.
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

// wants reads what follows the language: the name of a file, or a version of Go.
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

// at is where the reader finds it.
func (p *program) at() string { return fmt.Sprintf("%s:%d", p.page, p.line) }

// folder is a name for it that is good for a folder and for an executable.
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
