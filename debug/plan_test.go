package debug_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// lastRun returns the page of the run that was started last.
func lastRun(r *rig) string {
	v := r.data("")
	var last uint64
	for _, run := range append(v.Live, v.Ended...) {
		last = max(last, run.ID)
	}
	return r.html(fmt.Sprintf("run?id=%d", last))
}

var (
	treeRows = regexp.MustCompile(`(?m)^.*<span class="mark .*$`)
	tag      = regexp.MustCompile(`<[^>]*>`)
	place    = regexp.MustCompile(`<span class="soft">[^<]*</span>`)
)

// marks returns the marked lines of the plan of the last run, without the places in the
// source.
func marks(r *rig) (marked []string) {
	for _, row := range treeRows.FindAllString(lastRun(r), -1) {
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
	wait := takes("w", time.Hour)
	seconds := flow.Named("w", step.New(func(as step.Scope, n int) step.Next[none] {
		return step.Into(as, takes("", time.Duration(n)*time.Second), none{})
	}))
	each := flow.Then(step.Map(func(none) []int { return []int{30, 40, 100, 100} }), flow.ParEach(3, seconds))
	for _, c := range []struct {
		reason string
		plan   step.Step[none, none]
		want   []string
	}{
		{"where it stands", flow.Then(does("a", nil), wait), []string{`▶ new w 1 suspended for 1m0s`}},
		{"branches", drop(flow.Par2(wait, wait)), []string{
			`▶ new w 0/par.0/0 suspended for 1m0s`, `▶ new w 0/par.1/0 suspended for 1m0s`,
		}},
		{"elements, of which the plan has one", drop(each), []string{`▶ new w 1/each.N/0 2 times, up to 1m0s`}},
		{"steps that aren't in the plan", flow.Named("enters", step.New(func(as step.Scope, _ none) step.Next[none] {
			return step.Into(as, wait, none{})
		})), []string{`▶ new enters 0 suspended for 1m0s`}},
		{"where it failed", flow.Then(does("a", nil), does("b", errBad)), []string{`✗ func b 1 failed: Bad`}},
		{"it has succeeded", does("a", nil), nil},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t, debug.Options{})
			start(r, c.plan)
			r.loop.Advance(time.Minute)
			if diff := cmp.Diff(c.want, marks(r)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			r.loop.Run()
		})
	}
}

var builtAt = regexp.MustCompile(`data-of="Built at"><span [^>]*>main_test\.go:[0-9]+<`)

// The page of a run shows where a waiting step was built.
func TestSiteOfStep(t *testing.T) {
	r := newRig(t, debug.Options{})
	start(r, takes("", time.Hour))
	if page := lastRun(r); !builtAt.MatchString(page) {
		t.Errorf("no place in %s", page)
	}
}

// picture requests the picture of the last run's plan.
func picture(r *rig) *httptest.ResponseRecorder {
	v := r.data("")
	var last uint64
	for _, run := range append(v.Live, v.Ended...) {
		last = max(last, run.ID)
	}
	return r.ask(http.MethodGet, fmt.Sprintf("plan.svg?id=%d", last), nil)
}

func TestWithoutGraphviz(t *testing.T) {
	t.Setenv("PATH", "")
	r := newRig(t, debug.Options{})
	start(r, does("a", nil))
	if w := picture(r); w.Code != http.StatusNotImplemented || !strings.Contains(w.Body.String(), "Graphviz isn't installed") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestPicture(t *testing.T) {
	if _, err := exec.LookPath("dot"); err != nil {
		t.Skip("Graphviz isn't installed: ", err)
	}
	r := newRig(t, debug.Options{})
	start(r, flow.Then(takes("wait", time.Hour), does("", nil)))
	r.loop.Advance(time.Second)
	w := picture(r)
	svg := strings.ReplaceAll(w.Body.String(), "&#160;", " ")
	if n := strings.Count(svg, `class="node waiting"`); n != 1 || w.Header().Get("Content-Type") != "image/svg+xml" {
		t.Errorf("%d boxes are marked in %v %s", n, w.Header(), svg)
	}
	for _, want := range []string{"<svg", "new &quot;wait&quot;", "suspended for 1s", "prefers-color-scheme: dark"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "sandbox") {
		t.Errorf("the policy is %s", policy)
	}
}

// A plan that is too large to be drawn is shown as a tree, of which parts are left out if it is very large.
func TestLargePlans(t *testing.T) {
	for _, c := range []struct {
		steps int
		left  bool
	}{{100, false}, {400, false}, {2000, true}} {
		r := newRig(t, debug.Options{})
		p := flow.Of(does("", nil))
		for range c.steps - 2 {
			p = flow.Then(p, does("", nil))
		}
		start(r, flow.Then(p, takes("last", time.Hour)))
		page := lastRun(r)
		if strings.Contains(page, " more parts</div>") != c.left {
			t.Errorf("%d steps: parts are left out: %v", c.steps, !c.left)
		}
		if got := marks(r); len(got) != 1 || !strings.Contains(got[0], "last") {
			t.Errorf("%d steps: marked is %q", c.steps, got)
		}
		if w := picture(r); c.steps > 500 && w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%d steps: the picture gives %d", c.steps, w.Code)
		}
	}
}
