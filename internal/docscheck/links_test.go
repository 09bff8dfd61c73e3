package docscheck

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// targets returns the links of a page to files of the repository, relative to its root. Links to headings have a #.
func (p page) targets() []string {
	var all []string
	prose := inlineCode.ReplaceAllString(strings.Join(p.prose, "\n"), "")
	for _, match := range link.FindAllStringSubmatch(prose, -1) {
		switch to := match[1]; {
		case strings.Contains(to, "://"):
		case strings.HasPrefix(to, "#"):
			all = append(all, p.name+to)
		default:
			all = append(all, path.Join(path.Dir(p.name), to))
		}
	}
	return all
}

func TestLinksLeadSomewhere(t *testing.T) {
	all, headings := pages(t), map[string]bool{}
	for _, name := range []string{"CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "examples/README.md"} {
		text, err := os.ReadFile(path.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, read(name, string(text)))
	}
	for _, p := range all {
		for _, line := range p.prose {
			if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
				headings[p.name+"#"+anchor(title)] = true
			}
		}
	}
	for _, p := range all {
		for _, to := range p.targets() {
			file, _, heading := strings.Cut(to, "#")
			if _, err := os.Stat(path.Join(root, file)); err != nil {
				t.Errorf("%s: a link to %s, which isn't there", p.name, to)
			} else if heading && !headings[to] {
				t.Errorf("%s: a link to %s, and there is no such heading", p.name, to)
			}
		}
	}
}

var unlinkable = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

func anchor(title string) string {
	return strings.ReplaceAll(unlinkable.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
}

// Each page is linked from the index.
func TestIndexIsComplete(t *testing.T) {
	const index = "docs/README.md"
	linked := map[string]bool{index: true, "README.md": true}
	all := pages(t)
	for _, p := range all {
		if p.name == index {
			for _, to := range p.targets() {
				linked[to] = true
			}
		}
	}
	for _, p := range all {
		if !linked[p.name] {
			t.Errorf("%s has no link to %s", index, p.name)
		}
	}
}
