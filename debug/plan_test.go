package debug_test

import (
	"encoding/base64"
	"fmt"
	"html"
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

// lastRun is the page of the run that was started last.
func lastRun(r *rig) string {
	v := r.data("")
	var last uint64
	for _, run := range append(v.Live, v.Ended...) {
		last = max(last, run.ID)
	}
	return r.html(fmt.Sprintf("run?id=%d", last))
}

var outlined = regexp.MustCompile(`(?s)<details( open)?><summary>As text</summary>\s*<pre>(.*?)</pre>`)

// outlines are the marked lines of the plan of the last run, without the places
// in the source.
func outlines(r *rig) (marked []string) {
	found := outlined.FindStringSubmatch(lastRun(r))
	if found == nil {
		r.Fatalf("no outline in %s", lastRun(r))
	}
	for line := range strings.Lines(html.UnescapeString(found[2])) {
		if strings.ContainsAny(line, "▶✗") {
			line, _, sited := strings.Cut(strings.TrimSpace(line), "_test.go:")
			if i := strings.LastIndex(line, "  "); sited {
				marked = append(marked, line[:i])
			}
		}
	}
	return marked
}

func TestPlanIsMarked(t *testing.T) {
	t.Setenv("PATH", "") // without Graphviz
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
		{"where it stands", flow.Then(does("a", nil), wait), []string{`▶ new "w"  1 · suspended for 1m0s`}},
		{"branches", drop(flow.Par2(wait, wait)), []string{
			`▶ new "w"  0/par.0/0 · suspended for 1m0s`, `▶ new "w"  0/par.1/0 · suspended for 1m0s`,
		}},
		{"elements, of which the plan has one", drop(each), []string{`▶ new "w"  1/each.N/0 · 2 times, up to 1m0s`}},
		{"steps that aren't in the plan", flow.Named("enters", step.New(func(as step.Scope, _ none) step.Next[none] {
			return step.Into(as, wait, none{})
		})), []string{`▶ new "enters"  0 · suspended for 1m0s`}},
		{"where it failed", flow.Then(does("a", nil), does("b", errBad)), []string{`✗ func "b"  1`}},
		{"it has succeeded", does("a", nil), nil},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := newRig(t, debug.Options{})
			start(r, c.plan)
			r.loop.Advance(time.Minute)
			if diff := cmp.Diff(c.want, outlines(r)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			r.loop.Run()
		})
	}
}

var builtAt = regexp.MustCompile(`data-of="Built at"><span [^>]*>main_test\.go:[0-9]+<`)

// Of a step that waits it is told where it was built.
func TestSiteOfStep(t *testing.T) {
	r := newRig(t, debug.Options{})
	start(r, takes("", time.Hour))
	if page := lastRun(r); !builtAt.MatchString(page) {
		t.Errorf("no place in %s", page)
	}
}

func TestWithoutGraphviz(t *testing.T) {
	t.Setenv("PATH", "")
	r := newRig(t, debug.Options{})
	start(r, does("a", nil))
	page := lastRun(r)
	if !strings.Contains(page, "Graphviz isn&#39;t installed") || strings.Contains(page, "<img") || !strings.Contains(page, "<details open>") {
		t.Errorf("got %s", page)
	}
}

var embedded = regexp.MustCompile(`<img src="data:image/svg&#43;xml;base64,([^"]*)"`)

func TestPicture(t *testing.T) {
	if _, err := exec.LookPath("dot"); err != nil {
		t.Skip("Graphviz isn't installed: ", err)
	}
	r := newRig(t, debug.Options{})
	start(r, flow.Then(takes("wait", time.Hour), does("", nil)))
	r.loop.Advance(time.Second)
	found := embedded.FindStringSubmatch(lastRun(r))
	if found == nil {
		t.Fatalf("there is no picture in %s", lastRun(r))
	}
	svg, err := base64.StdEncoding.DecodeString(html.UnescapeString(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(svg), `fill="#ffdf99"`); n != 1 {
		t.Errorf("%d boxes are coloured in %s", n, svg)
	}
	for _, want := range []string{"<svg", "▶ new &quot;wait&quot;", "0 · suspended for 1s"} {
		if !strings.Contains(strings.ReplaceAll(string(svg), "&#160;", " "), want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
}

// A plan that is too large to be read isn't drawn either.
func TestLargePlans(t *testing.T) {
	for _, c := range []struct {
		steps         int
		drawn, listed bool
	}{{100, true, true}, {400, false, true}, {1100, false, false}} {
		if _, err := exec.LookPath("dot"); err != nil && c.drawn {
			continue
		}
		r := newRig(t, debug.Options{})
		p := flow.Of(does("", nil))
		for range c.steps - 1 {
			p = flow.Then(p, does("", nil))
		}
		start(r, p)
		page := lastRun(r)
		if strings.Contains(page, "<img") != c.drawn || strings.Contains(page, "<details") != c.listed {
			t.Errorf("%d steps: a picture %v, an outline %v", c.steps, !c.drawn, !c.listed)
		}
	}
}
