package docscheck

import (
	"bytes"
	"image"
	_ "image/png"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	picture  = regexp.MustCompile(`(\[?)!\[[^\]]*\]\(([^)\s]+)\)(?:\]\(([^)\s]+)\))?`)
	svgWidth = regexp.MustCompile(`<svg[^>]* width="(\d+)`)
)

// A picture that is too wide for a telephone is a link to itself, which shows it in its own size.
func TestWidePicturesAreLinks(t *testing.T) {
	const telephone = 400
	gallery := "examples/README.md"
	text, err := os.ReadFile(path.Join(root, gallery))
	if err != nil {
		t.Fatal(err)
	}
	wide := 0
	for _, p := range append(pages(t), read(gallery, string(text))) {
		for _, found := range picture.FindAllStringSubmatch(strings.Join(p.prose, "\n"), -1) {
			linked, file, to := found[1] != "", found[2], found[3]
			if strings.Contains(file, "://") || pictureWidth(t, path.Join(root, path.Dir(p.name), file)) <= telephone {
				continue
			}
			wide++
			if !linked || to != file {
				t.Errorf("%s: the picture %s is wide, and no link to itself: [![…](%[2]s)](%[2]s)", p.name, file)
			}
		}
	}
	if wide < 15 {
		t.Errorf("found only %d wide pictures", wide)
	}
}

func pictureWidth(t *testing.T, file string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if path.Ext(file) == ".svg" {
		width := svgWidth.FindSubmatch(data)
		if width == nil {
			t.Fatalf("%s has no width", file)
		}
		n, err := strconv.Atoi(string(width[1]))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return config.Width
}
