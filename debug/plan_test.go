package debug_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

func lastRun(h *harness) string {
	v := h.data("")
	var last uint64
	for _, run := range append(v.Live, v.Ended...) {
		last = max(last, run.ID)
	}
	return h.html(fmt.Sprintf("run?id=%d", last))
}

var (
	treeRows = regexp.MustCompile(`(?m)^.*<span class="mark .*$`)
	tag      = regexp.MustCompile(`<[^>]*>`)
	place    = regexp.MustCompile(`<span class="soft">[^<]*</span>`)
)

// marks returns the marked lines of the last run's plan, without the places in the source.
func marks(h *harness) (marked []string) {
	for _, row := range treeRows.FindAllString(lastRun(h), -1) {
		for line := range strings.SplitSeq(row, "<summary>") {
			if strings.Contains(line, `class="mark `) {
				line, _, _ = strings.Cut(line, `<span class="badge">`)
				text := html.UnescapeString(tag.ReplaceAllString(place.ReplaceAllString(line, ""), ""))
				marked = append(marked, strings.Join(strings.Fields(text), " "))
			}
		}
	}
	return marked
}

func TestPlanIsMarked(t *testing.T) {
	wait := plantest.Delay("w", time.Hour)
	seconds := flow.Named("w", step.New(func(as step.Scope, n int) step.Next[step.Unit] {
		return step.Into(as, plantest.Delay("", time.Duration(n)*time.Second), step.Unit{})
	}))
	each := flow.Then(step.Map(func(step.Unit) []int { return []int{30, 40, 100, 100} }), flow.ParEach(3, seconds))
	for _, c := range []struct {
		reason string
		plan   step.Step[step.Unit, step.Unit]
		want   []string
	}{
		{"where it stands", flow.Then(plantest.Named("a", nil), wait), []string{`▶ new w 1 suspended for 1m0s`}},
		{"branches", drop(flow.Par2(wait, wait)), []string{
			`▶ new w 0/par.0/0 suspended for 1m0s`, `▶ new w 0/par.1/0 suspended for 1m0s`,
		}},
		{"elements, of which the plan has one", drop(each), []string{`▶ new w 1/each.N/0 2 times, up to 1m0s`}},
		{"steps that aren't in the plan", flow.Named("enters", step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
			return step.Into(as, wait, step.Unit{})
		})), []string{`▶ new enters 0 suspended for 1m0s`}},
		{"where it failed", flow.Then(plantest.Named("a", nil), plantest.Named("b", errBad)), []string{`✗ func b 1 failed: Bad`}},
		{"it has succeeded", plantest.Named("a", nil), nil},
	} {
		t.Run(c.reason, func(t *testing.T) {
			h := newHarness(t, debug.Options{})
			start(h, c.plan)
			h.loop.Advance(time.Minute)
			if diff := cmp.Diff(c.want, marks(h)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			h.loop.Run()
		})
	}
}

var builtAt = regexp.MustCompile(`data-of="Built at"><span [^>]*>plan_test\.go:[0-9]+<`)

func TestSiteOfStep(t *testing.T) {
	h := newHarness(t, debug.Options{})
	start(h, step.Delay[step.Unit](time.Hour))
	if page := lastRun(h); !builtAt.MatchString(page) {
		t.Errorf("no place in %s", page)
	}
}

func picture(h *harness) *httptest.ResponseRecorder {
	v := h.data("")
	var last uint64
	for _, run := range append(v.Live, v.Ended...) {
		last = max(last, run.ID)
	}
	return h.request(http.MethodGet, fmt.Sprintf("plan.svg?id=%d", last), nil)
}

func TestPicture(t *testing.T) {
	h := newHarness(t, debug.Options{})
	start(h, flow.Then(plantest.Delay("wait", time.Hour), flow.Named("charge", flow.Timeout(2*time.Second, plantest.Named("", nil)))))
	h.loop.Advance(time.Second)
	w := picture(h)
	svg := w.Body.String()
	if n := strings.Count(svg, `class="leaf works waiting"`); n != 1 || w.Header().Get("Content-Type") != "image/svg+xml" {
		t.Errorf("%d boxes are marked in %v %s", n, w.Header(), svg)
	}
	page := lastRun(h)
	for _, want := range []string{"<svg", ">wait</text>", "suspended for 1s", ">timeout · limit 2s<", "prefers-color-scheme: dark"} {
		if !strings.Contains(svg, want) || !strings.Contains(page, want) {
			t.Errorf("no %s in %s, or in %s", want, svg, page)
		}
	}
	if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "sandbox") {
		t.Errorf("the policy is %s", policy)
	}
}

// A large plan is drawn in a file, and a very large one not at all. The tree leaves parts out.
func TestLargePlans(t *testing.T) {
	for _, c := range []struct {
		steps int
		left  bool
	}{{100, false}, {400, false}, {2000, true}, {10_001, true}} {
		h := newHarness(t, debug.Options{})
		p := flow.Of(plantest.Named("", nil))
		for range c.steps - 2 {
			p = flow.Then(p, plantest.Named("", nil))
		}
		start(h, flow.Then(p, plantest.Delay("last", time.Hour)))
		page := lastRun(h)
		if strings.Contains(page, " more parts</div>") != c.left {
			t.Errorf("%d steps: parts are left out: %v", c.steps, !c.left)
		}
		if got := marks(h); len(got) != 1 || !strings.Contains(got[0], "last") {
			t.Errorf("%d steps: marked is %q", c.steps, got)
		}
		if drawn := strings.Contains(page, "<svg xmlns"); drawn == c.left {
			t.Errorf("%d steps: there is a picture on the page: %v", c.steps, drawn)
		}
		want := http.StatusOK
		if c.steps > 10_000 {
			want = http.StatusUnprocessableEntity
		}
		if w := picture(h); w.Code != want {
			t.Errorf("%d steps: the picture gives %d", c.steps, w.Code)
		}
	}
}

// foldable returns a plan of 20 parts with at least 20 steps each, too many to be shown at once.
func foldable() step.Step[step.Unit, step.Unit] {
	parts := make([]step.Step[step.Unit, step.Unit], 20)
	for i := range parts {
		part := flow.Of(plantest.Named(fmt.Sprintf("first of %d", i), nil))
		for n := range 19 {
			part = flow.Then(part, plantest.Named(fmt.Sprintf("step %d of %d", n, i), nil))
		}
		if i == 13 {
			part = flow.Then(part, plantest.Delay("the slow one", time.Hour))
		}
		parts[i] = flow.Named(fmt.Sprintf("part %d", i), flow.Call(part))
	}
	return flow.Named("large", drop(flow.Par(parts...)))
}

func boxes(page string) (names []string) {
	for _, found := range regexp.MustCompile(`<text class="name[^>]*>([^<]*)<`).FindAllStringSubmatch(page, -1) {
		names = append(names, html.UnescapeString(found[1]))
	}
	return names
}

// foldLink returns where a click on the box of a step leads, or "".
func foldLink(page, name string) string {
	for _, found := range regexp.MustCompile(`(?s)<a href="([^"]*)"><g .*?</a>`).FindAllStringSubmatch(page, -1) {
		if strings.Contains(found[0], ">"+name+"</text>") {
			return html.UnescapeString(found[1])
		}
	}
	return ""
}

// Steps that lead to no mark are folded; a click unfolds and folds them.
func TestPictureIsFolded(t *testing.T) {
	h := newHarness(t, debug.Options{})
	start(h, foldable())
	h.loop.Advance(time.Minute)
	page := lastRun(h)
	names := boxes(page)
	for name, want := range map[string]bool{"part 0": true, "part 19": true, "the slow one": true, "first of 13": true, "first of 7": false} {
		if slices.Contains(names, name) != want {
			t.Errorf("%s is shown: %v, in %q", name, !want, names)
		}
	}
	if want := "folded 20 steps"; !strings.Contains(page, want) {
		t.Errorf("no %q", want)
	}
	if link := foldLink(page, "the slow one"); link != "" {
		t.Errorf("a step that holds none leads to %s", link)
	}

	link := foldLink(page, "part 7")
	opened := h.html(strings.TrimSuffix(link, "#picture"))
	if names := boxes(opened); !slices.Contains(names, "first of 7") || !slices.Contains(names, "first of 13") {
		t.Errorf("%s shows %q", link, names)
	}
	link = foldLink(opened, "part 7")
	if names := boxes(h.html(strings.TrimSuffix(link, "#picture"))); slices.Contains(names, "first of 7") {
		t.Errorf("%s doesn't fold it again: %q", link, names)
	}

	link = foldLink(page, "part 13")
	shut := h.html(strings.TrimSuffix(link, "#picture"))
	if names := boxes(shut); slices.Contains(names, "the slow one") || strings.Count(shut, "inside: suspended for 1m0s") != 1 {
		t.Errorf("%s: folded, and the mark stays: %q", link, names)
	}
	if n := strings.Count(shut, "works waiting\"") + strings.Count(shut, "groups waiting\""); n != 1 {
		t.Errorf("%d boxes are marked", n)
	}
}

// The picture has no link that is refused for its length.
func TestFoldLinksAreShort(t *testing.T) {
	h := newHarness(t, debug.Options{})
	start(h, foldable())
	h.loop.Advance(time.Minute)
	id := h.data("").Live[0].ID
	query := url.Values{"id": {fmt.Sprint(id)}, "open": slices.Repeat([]string{"0/par.7/0", "nowhere/" + strings.Repeat("9", 40)}, 12)}
	page := h.html("run?" + query.Encode())
	for _, found := range regexp.MustCompile(`<a href="(run[^"]*#picture)"`).FindAllStringSubmatch(page, -1) {
		if _, query, _ := strings.Cut(html.UnescapeString(found[1]), "?"); len(query) > 2000 {
			t.Errorf("%d bytes: %s", len(query), query)
		}
	}
	if link := foldLink(page, "part 3"); !strings.Contains(link, "0%2Fpar.3%2F0") {
		t.Errorf("the link to unfold is %q", link)
	}
}
