package debug_test

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/browsertest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

// TestGuideInBrowser makes the pictures of docs/guide/console.md: go test ./debug -run Guide -screenshots ../docs/guide.
func TestGuideInBrowser(t *testing.T) {
	if *screenshots == "" {
		t.Skip("makes pictures, if asked to by -screenshots")
	}
	b := browsertest.New(t)
	h := shop(t)
	address := serve(h)
	page := make(map[string]string)
	for _, p := range h.shopPages() {
		page[p.name] = p.page
	}
	for _, c := range []struct {
		name, page, from string // from the head that has this text; "" is the upper end
		height           int
		dark             bool
	}{
		{"console-runs", page["index"], "", 1110, false},
		{"console-run", page["rates"], "", 770, false},
		{"console-picture", page["rates"], "Plan", 830, false},
		{"console-plan", busy(t) + "plan?id=1", "", 1450, false},
		{"console-stream", page["streams"], "", 730, false},
		{"console-guards", page["guards"], "", 945, true},
	} {
		b.Look(1280, 900, c.dark)
		if !strings.HasPrefix(c.page, "http") {
			c.page = address + c.page
		}
		b.Open(c.page)
		top := 0
		if c.from != "" {
			top = len(b.Eval(`"x".repeat([...document.querySelectorAll("h2")].find(e => e.innerText === "` + c.from + `").getBoundingClientRect().top + scrollY - 10)`))
		}
		shootPart(b, c.name, top, c.height)
	}
}

// busy returns the address of a console that has seen an hour of a plan, in which a bank became slow for some minutes.
func busy(t *testing.T) string {
	h := newHarness(t, debug.Options{})
	minute, n := 0, 0
	bank := step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
		n++
		took := time.Duration(40+n%7*9) * time.Millisecond
		if minute > 20 && minute < 34 && n%5 < 2 {
			took *= time.Duration(minute - 15)
		}
		return step.Into(as, plantest.Delay("", took), step.Unit{})
	})
	charge := flow.Named("bank", flow.Timeout(time.Second, bank))
	order := flow.Named("order", flow.Then(drop(flow.Par2(plantest.Delay("stock", 30*time.Millisecond), plantest.Delay("price", 20*time.Millisecond))), charge))
	for ; minute < 60; minute++ {
		for range 8 + minute%5 {
			start(h, order)
			h.loop.Advance(2 * time.Second)
		}
		h.loop.Advance(h.loop.Now().Truncate(time.Minute) + time.Minute - h.loop.Now())
	}
	start(h, order)
	h.loop.Advance(25 * time.Millisecond)
	return serve(h)
}

func shootPart(b *browsertest.Browser, name string, top, height int) {
	b.Helper()
	whole, err := png.Decode(bytes.NewReader(b.Band(top, height)))
	if err != nil {
		b.Fatal(err)
	}
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, fewColours(whole)); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*screenshots, name+".png"), small.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
}

func fewColours(whole image.Image) *image.Paletted {
	count := make(map[color.Color]int)
	size := whole.Bounds()
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			count[whole.At(x, y)]++
		}
	}
	palette := make(color.Palette, 0, len(count))
	for c := range count {
		palette = append(palette, c)
	}
	slices.SortFunc(palette, func(a, c color.Color) int {
		return cmp.Or(cmp.Compare(count[c], count[a]), cmp.Compare(fmt.Sprint(a), fmt.Sprint(c)))
	})
	small := image.NewPaletted(size, palette[:min(len(palette), 256)])
	draw.Draw(small, size, whole, size.Min, draw.Src)
	return small
}
