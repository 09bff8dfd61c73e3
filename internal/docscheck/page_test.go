// Package docscheck holds the tests of README.md and docs/: what they show is
// true. Code compiles, programs print what the page says, links lead somewhere,
// and names of the library exist.
//
// How a page is read:
//
//   - A ```go block with a package clause starts a program; further
//     blocks on the page go on with its last file. A name, as in ```go plan_test.go
//     or ```c step.c, makes the block another file of the same program.
//   - ```text ends the program, and is its output; ```text exit 1 if it fails as
//     well. A program whose output isn't shown has to succeed.
//   - A package with tests is tested. Its output is compared without durations.
//   - ```go go1.27 is for that Go, and left out by older ones.
//   - ```c and ```js are programs of their own.
//   - Other ```go and ```text blocks are excerpts: of a Go file, or of a file in
//     some testdata, of this repository.
//
// While you write a page, check that page alone:
//
//	go test ./internal/docscheck -run TestGoPrograms -page docs/guide/http.md
package docscheck

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// root is the folder of the module.
const root = "../.."

// languages lists the languages of blocks. Blocks in go, text, c and js are tested here, and those that vet.md shows. The
// others are for the reader's machine, or only to look at.
var languages = []string{"go", "text", "c", "cpp", "js", "ts", "sh", "console", "mermaid", "json", "diff"}

type page struct {
	name   string // from the module's root, with slashes
	prose  []string
	blocks []block
}

// block is the text between two fences.
type block struct {
	page string
	line int      // of its first line of text, from 1
	lang string   // such as "go"
	args []string // the words after the language
	text string
}

var onePage = flag.String("page", "", "check what this page shows, like docs/guide/http.md, and no other page")

// checked returns the pages whose blocks and names are checked: all, or the one of the flag -page.
func checked(t *testing.T) []page {
	t.Helper()
	chosen, err := choose(pages(t), *onePage)
	if err != nil {
		t.Fatalf("-page: %v", err)
	}
	return chosen
}

func choose(all []page, name string) ([]page, error) {
	if name == "" {
		return all, nil
	}
	at := slices.IndexFunc(all, func(p page) bool { return p.name == name })
	if at < 0 {
		return nil, fmt.Errorf("there is no page %q", name)
	}
	return all[at : at+1], nil
}

// The flag -page chooses one page, and fails for a name that no page has.
func TestPageFlag(t *testing.T) {
	all := pages(t)
	if chosen, err := choose(all, ""); len(chosen) != len(all) || err != nil {
		t.Errorf("without a name: %d pages of %d, %v", len(chosen), len(all), err)
	}
	for _, name := range []string{"README.md", "docs/guide/http.md"} {
		if chosen, err := choose(all, name); err != nil || len(chosen) != 1 || chosen[0].name != name || len(chosen[0].blocks) == 0 {
			t.Errorf("%s: %d pages, %v", name, len(chosen), err)
		}
	}
	for _, name := range []string{"guide/http.md", "docs/guide", "docs/guide/none.md"} {
		if chosen, err := choose(all, name); err == nil || chosen != nil {
			t.Errorf("%s: %d pages and no error", name, len(chosen))
		}
	}
	defer func(set string) { *onePage = set }(*onePage)
	*onePage = "docs/guide/http.md"
	if chosen := checked(t); len(chosen) != 1 || chosen[0].name != *onePage {
		t.Errorf("-page=%s checks %d pages", *onePage, len(chosen))
	}
}

func pages(t *testing.T) []page {
	t.Helper()
	names := []string{"README.md"}
	err := fs.WalkDir(os.DirFS(root), "docs", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".md" {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []page
	for _, name := range names {
		text, err := os.ReadFile(path.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, read(name, string(text)))
	}
	return all
}

// read parses a page, whose lines may end in CRLF.
func read(name, text string) page {
	p := page{name: name}
	var open *block
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open != nil:
			p.blocks = append(p.blocks, *open)
			open = nil
		case fence:
			words := append(strings.Fields(info), "")
			open = &block{page: name, line: i + 2, lang: words[0], args: words[1 : len(words)-1]}
		case open != nil:
			open.text += line + "\n"
		default:
			p.prose = append(p.prose, line)
		}
	}
	if open != nil { // no fence closes it: TestBlocksSayWhatTheyAre reports it as a block without a language
		p.blocks = append(p.blocks, block{page: name, line: open.line})
	}
	return p
}

func TestBlocksSayWhatTheyAre(t *testing.T) {
	for _, p := range checked(t) {
		for _, b := range p.blocks {
			if !slices.Contains(languages, b.lang) {
				t.Errorf("%s:%d: a block in %q, which is none of %q", b.page, b.line, b.lang, languages)
			}
		}
	}
}
