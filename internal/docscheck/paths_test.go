package docscheck

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var writeNav = flag.Bool("nav", false, "write the lines at the end of guides that lead along the paths of docs/README.md")

// trail is a path through the guides: its title, and the pages in order.
type trail struct {
	title string
	stops []stop
}

// stop is a page of a trail; its name is the path from docs.
type stop struct{ title, name string }

const beginning, end = "\n## Paths\n", "\n## "

// trails reads the paths from the index: below the heading Paths, a heading for each, followed by its links in order.
func trails(index string) []trail {
	_, section, _ := strings.Cut(index, beginning)
	section, _, _ = strings.Cut(section, end)
	var found []trail
	for _, part := range strings.Split(section, "\n### ")[1:] {
		title, links, _ := strings.Cut(part, "\n")
		t := trail{title: title}
		for _, to := range regexp.MustCompile(`\[([^]]+)\]\(([^)#]+)\)`).FindAllStringSubmatch(links, -1) {
			t.stops = append(t.stops, stop{to[1], to[2]})
		}
		found = append(found, t)
	}
	return found
}

// nav returns the lines that end a page: one for each trail with the page, or "" if there is none.
func nav(trails []trail, name string) string {
	var lines []string
	for _, t := range trails {
		i := slices.IndexFunc(t.stops, func(s stop) bool { return s.name == name })
		if i < 0 {
			continue
		}
		relative := func(to string) string {
			r, _ := filepath.Rel(path.Dir(name), to)
			return filepath.ToSlash(r)
		}
		line := fmt.Sprintf("- Path [%s](%s#%s)", strings.ToLower(t.title[:1])+t.title[1:], relative("README.md"), anchor(t.title))
		if i > 0 {
			line += fmt.Sprintf(", previous: [%s](%s)", t.stops[i-1].title, relative(t.stops[i-1].name))
		}
		if i+1 < len(t.stops) {
			line += fmt.Sprintf(", next: [%s](%s)", t.stops[i+1].title, relative(t.stops[i+1].name))
		}
		lines = append(lines, line+"\n")
	}
	if lines == nil {
		return ""
	}
	return "\n---\n\n" + strings.Join(lines, "")
}

// Each guide is on a path, and ends with the pages before and after it.
func TestIndexLeadsThroughGuides(t *testing.T) {
	docs := filepath.Join(root, "docs")
	index, err := os.ReadFile(filepath.Join(docs, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	trails := trails(strings.ReplaceAll(string(index), "\r\n", "\n"))
	if len(trails) != 3 {
		t.Fatalf("found %d paths, want 3", len(trails))
	}
	guides, err := filepath.Glob(filepath.Join(docs, "guide", "*.md"))
	if err != nil || len(guides) < 25 {
		t.Fatalf("found only %d guides: %v", len(guides), err)
	}
	for _, file := range guides {
		name := "guide/" + filepath.Base(file)
		want := nav(trails, name)
		if want == "" {
			t.Errorf("docs/%s is on no path of docs/README.md", name)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		body, got := parted(strings.ReplaceAll(string(text), "\r\n", "\n"))
		switch {
		case got == want:
		case *writeNav:
			if err := os.WriteFile(file, []byte(body+want), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("docs/%s: go test ./internal/docscheck -run Index -nav mends this (-want +got):\n%s", name, cmp.Diff(want, got))
		}
	}
}

// parted separates a page from the lines of nav at its end.
func parted(text string) (body, nav string) {
	if i := strings.LastIndex(text, "\n---\n\n- Path ["); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

func TestNav(t *testing.T) {
	const index = "# All\n\n## Paths\n\nThree.\n\n### A tool\n\n[One](guide/one.md) → [Two](guide/two.md)\n\n### To run\n\n[Two](guide/two.md),\n[Three](three.md)\n\n## Others\n\n[Four](guide/four.md)\n"
	for name, want := range map[string]string{
		"guide/one.md":  "\n---\n\n- Path [a tool](../README.md#a-tool), next: [Two](two.md)\n",
		"guide/two.md":  "\n---\n\n- Path [a tool](../README.md#a-tool), previous: [One](one.md)\n- Path [to run](../README.md#to-run), next: [Three](../three.md)\n",
		"three.md":      "\n---\n\n- Path [to run](README.md#to-run), previous: [Two](guide/two.md)\n",
		"guide/four.md": "",
	} {
		got := nav(trails(index), name)
		if got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if body, lines := parted("text\n" + got); body != "text\n" || lines != want {
			t.Errorf("%s: parted into %q and %q", name, body, lines)
		}
	}
}
