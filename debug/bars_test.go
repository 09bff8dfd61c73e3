package debug_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
)

// Bars have the contrast that WCAG 2 requires of graphics, to the page and to the colour of suspended steps.
func TestContrastOfBars(t *testing.T) {
	style, err := os.ReadFile("pages/style.css")
	if err != nil {
		t.Fatal(err)
	}
	schemes := regexp.MustCompile(`:root \{([^}]*)\}`).FindAllStringSubmatch(string(style), -1)
	if len(schemes) != 2 {
		t.Fatalf("there are %d schemes of colours", len(schemes))
	}
	for _, scheme := range schemes {
		colours := map[string]string{}
		for _, c := range regexp.MustCompile(`--(\w+): #(\w+)`).FindAllStringSubmatch(scheme[1], -1) {
			colours[c[1]] = c[2]
		}
		for _, bar := range []string{"busy", "holds", "queued", "attempt", "race", "failed"} {
			for _, behind := range []string{"paper", "suspended"} {
				if c := contrast(t, colours[bar], colours[behind]); c < 3 {
					t.Errorf("%s on %s has a contrast of %.2f", bar, behind, c)
				}
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) (sum float64) {
	t.Helper()
	if len(colour) == 3 {
		colour = strings.Repeat(colour[:1], 2) + strings.Repeat(colour[1:2], 2) + strings.Repeat(colour[2:], 2)
	}
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

// A failure that takes no time can be seen.
func TestBars(t *testing.T) {
	h := newHarness(t, debug.Options{})
	start(h, flow.Named("outer", flow.Then(plantest.Delay("w", time.Hour), plantest.Named("b", errBad))))
	h.loop.Advance(time.Hour)
	page := h.html(fmt.Sprintf("run?id=%d", h.data("index").Ended[0].ID))
	for label, want := range map[string]string{
		"outer": `<rect class="failed" x="0.0" y="4" width="1000.0" height="6"/>`,
		"w":     `<rect class="busy" x="0.0" y="1" width="1000.0" height="12"/>`,
		"b":     `<rect class="failed" x="992.0" y="1" width="8.0" height="12"/>`,
	} {
		at := strings.Index(page, `<bdi>`+label+`</bdi></a>`)
		if at < 0 || !strings.HasPrefix(page[at+strings.Index(page[at:], "<rect"):], want) {
			t.Errorf("%s isn't drawn by %s", label, want)
		}
	}
	h = newHarness(t, debug.Options{})
	start(h, flow.Named("outer", flow.Then(plantest.Delay("w", time.Hour), plantest.Named("b", nil))))
	h.loop.Advance(time.Minute)
	page = h.html(fmt.Sprintf("run?id=%d", h.data("index").Live[0].ID))
	if !strings.Contains(page, `<rect class="holds open"`) {
		t.Errorf("a step that holds another one is drawn as at work: %s", page)
	}
}
