package debug_test

import (
	"fmt"
	"html"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
)

func TestSort(t *testing.T) {
	h := newHarness(t, debug.Options{})
	start(h, flow.Named("restless", flow.Then(plantest.Delay("a", 9*time.Second), plantest.Delay("b", time.Hour))))
	start(h, flow.Named("short", plantest.Delay("c", time.Second)))
	h.loop.Advance(5 * time.Second)
	start(h, flow.Named("long", plantest.Delay("c", 5*time.Second)))
	start(h, flow.Named("stuck", plantest.Delay("d", time.Hour)))
	h.loop.Advance(5 * time.Second)
	for sort, want := range map[string]string{
		"oldest":  "restless stuck | long short",
		"newest":  "stuck restless | long short",
		"waiting": "stuck restless | long short",
		"longest": "restless stuck | long short",
		"plan":    "restless stuck | long short",

		"-oldest":  "stuck restless | short long",
		"-newest":  "restless stuck | short long",
		"-waiting": "restless stuck | long short",
		"-longest": "stuck restless | short long",
		"-plan":    "stuck restless | short long",
	} {
		v := h.data("index?sort=" + sort)
		if got := strings.Join(names(v.Live), " ") + " | " + strings.Join(names(v.Ended), " "); got != want {
			t.Errorf("%s: %s, want %s", sort, got, want)
		}
	}
	start(h, flow.Named("longer", plantest.Delay("c", 8*time.Second)))
	h.loop.Advance(8 * time.Second)
	start(h, flow.Named("brief", plantest.Delay("c", time.Second)))
	h.loop.Advance(time.Second)
	if got := strings.Join(names(h.data("index?sort=longest&state=ended").Ended), " "); got != "longer long brief short" {
		t.Errorf("ended runs are sorted as %s", got)
	}
}

// Numbers are sorted by their value; runs without the attribute come last.
func TestSortByAttribute(t *testing.T) {
	h := newHarness(t, debug.Options{})
	for _, order := range []string{"20", "3", "", "100"} {
		if h.attrs = nil; order != "" {
			h.attrs = []slog.Attr{slog.String("order", order)}
		}
		start(h, flow.Named("run "+order, plantest.Delay("c", time.Hour)))
	}
	for sort, want := range map[string]string{
		"attr:order":  "run 3,run 20,run 100,run ",
		"-attr:order": "run 100,run 20,run 3,run ",
		"attr:other":  "run 20,run 3,run ,run 100",
	} {
		if got := strings.Join(names(h.data("index?sort="+sort).Live), ","); got != want {
			t.Errorf("%s: %s, want %s", sort, got, want)
		}
	}
}

// Numbers come before other texts, whatever the order in which the runs were started.
func TestSortByNumbersAndTexts(t *testing.T) {
	for _, values := range [][]string{{"9", "10", "1a", "95"}, {"1a", "10", "95", "9"}, {"10", "1a", "9", "95"}, {"95", "9", "1a", "10"}} {
		h := newHarness(t, debug.Options{})
		for _, order := range values {
			h.attrs = []slog.Attr{slog.String("order", order)}
			start(h, flow.Named(order, plantest.Delay("c", time.Hour)))
		}
		for sort, want := range map[string]string{"attr:order": "9 10 95 1a", "-attr:order": "1a 95 10 9"} {
			if got := strings.Join(names(h.data("index?sort="+sort).Live), " "); got != want {
				t.Errorf("%s of %v: %s, want %s", sort, values, got, want)
			}
		}
	}
}

func follow(t *testing.T, page, column string) (address, aria string) {
	t.Helper()
	found := regexp.MustCompile(`<th scope="col"(?: aria-sort="([a-z]+)")?><a href="([^"]*)"><bdi>` + column + `</bdi>`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("%s leads nowhere in %s", column, page)
	}
	return html.UnescapeString(found[2]), found[1]
}

// A click on the head of a column sorts by it, and a second one reverses that. It leads to the first page; the rest of the
// address stays.
func TestColumnsSort(t *testing.T) {
	h := newHarness(t, debug.Options{})
	h.attrs = []slog.Attr{slog.Int("order", 2)}
	start(h, flow.Named("first", plantest.Delay("a", time.Hour)))
	h.attrs = []slog.Attr{slog.Int("order", 1)}
	start(h, flow.Named("second", plantest.Delay("b", 2*time.Second)))
	start(h, flow.Named("third", drop(flow.Par2(plantest.Delay("b", time.Hour), plantest.Named("c", nil)))))
	h.loop.Advance(5 * time.Second)
	for _, c := range []struct{ page, column, once, aria, twice string }{
		{"index?cols=order", "Run", "index?cols=order&sort=newest", "descending", "index?cols=order&sort=-newest"},
		{"index?plan=r&size=1&page=2", "Plan", "index?plan=r&size=1&sort=plan", "ascending", "index?plan=r&size=1&sort=-plan"},
		{"index", "Stands at", "index?sort=waiting", "descending", "index?sort=-waiting"},
		{"index?cols=order", "order", "index?cols=order&sort=attr%3Aorder", "ascending", "index?cols=order&sort=-attr%3Aorder"},
		{"plans", "Failed", "plans?sort=failed", "descending", "plans?sort=-failed"},
		{"steps?plan=r", "p99", "steps?plan=r&sort=p99", "descending", "steps?plan=r&sort=-p99"},
	} {
		once, before := follow(t, h.html(c.page), c.column)
		twice, aria := follow(t, h.html(once), c.column)
		again, reverse := follow(t, h.html(twice), c.column)
		opposite := map[string]string{"ascending": "descending", "descending": "ascending"}[c.aria]
		if once != c.once || before != "" || twice != c.twice || aria != c.aria || again != once || reverse != opposite {
			t.Errorf("%s of %s: %s %q, then %s %q, then %s %q", c.column, c.page, once, before, twice, aria, again, reverse)
		}
	}
	if page := h.html("index?sort=-plan"); !strings.Contains(page, "<option selected>-plan</option>") {
		t.Error("the form forgets the order")
	}
	if page := h.html(fmt.Sprintf("run?id=%d", h.data("").Live[0].ID)); strings.Contains(page, `" aria-sort=`) {
		t.Error("a list that can't be sorted has heads that say so")
	}
	var v struct{ Plans, Steps []tallied }
	for sort, want := range map[string]string{"longest": "second", "-longest": "first", "live": "first", "-live": "second"} {
		if h.into("plans?sort="+sort, &v); v.Plans[0].Name != want {
			t.Errorf("%s: %s is first, want %s", sort, v.Plans[0].Name, want)
		}
	}
}

// In a narrow window links order the rows. There are none if there are no rows.
func TestNothingToSort(t *testing.T) {
	full, empty := newHarness(t, debug.Options{}), newHarness(t, debug.Options{})
	start(full, plantest.Named("", nil))
	for page, want := range map[string]bool{"plans": true, "steps": true, "steps?plan=none": false, "steps?page=2": false} {
		if got := strings.Contains(full.html(page), `class="sorts"`); got != want {
			t.Errorf("%s: links that order rows: %t", page, got)
		}
		if strings.Contains(empty.html(page), `class="sorts"`) {
			t.Errorf("%s of nothing has links that order rows", page)
		}
	}
}

func TestColumns(t *testing.T) {
	h := newHarness(t, debug.Options{})
	h.attrs = []slog.Attr{slog.String("order", "A-17"), slog.String("tenant", "north"), slog.Int("items", 3)}
	start(h, plantest.Delay("w", time.Hour))
	start(h, plantest.Named("f", nil))
	page := h.html("index?cols=tenant,+order,tenant,,none")
	heads := regexp.MustCompile(`<th [^>]*><a [^>]*><bdi>tenant</bdi></a></th><th [^>]*><a [^>]*><bdi>order</bdi></a></th><th [^>]*><a [^>]*><bdi>none</bdi></a></th><th scope="col">Attributes</th>`)
	if n := len(heads.FindAllString(page, -1)); n != 2 {
		t.Errorf("%d tables have the columns: %s", n, page)
	}
	for _, want := range []string{`<td data-of="order"><a href="index?attr=order%3DA-17"><bdi>A-17</bdi></a></td><td data-of="none"></td>`, `<td data-of="Attributes"><a class="attr" href="index?attr=items%3D3">`} {
		if strings.Count(page, want) != 2 {
			t.Errorf("%s isn't there for each run", want)
		}
	}
	if n := strings.Count(h.html("index?cols=a,b,c,d,e,f,g,h,i,j"), `sort=attr%3A`); n > 16 || n == 0 {
		t.Errorf("there are %d columns", n)
	}
}
