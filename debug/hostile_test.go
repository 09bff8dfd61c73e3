package debug_test

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/cron"
	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

var evil = []string{
	`<script>alert(1)</script>`,
	`"><img src=x onerror=alert(1)>`,
	`' onmouseover='alert(1)`,
	`</pre></style></title><script>alert(1)</script>`,
	`javascript:alert(1)`,
	`{{template "head" .}}`,
	`<!--`, `]]>`, "`${alert(1)}`",
	"\x00\xff\u202e\u2028",
}

// hostile returns a harness that shows text as names, attributes, errors and the spec of a job.
func hostile(t *testing.T, text string) *harness {
	h := newHarness(t, debug.Options{Control: true})
	guard := syncx.NewMutex(1, -1)
	h.Guard(text, guard)
	h.Guard("bad "+text, new(syncx.Mutex))
	h.Loop(text, tooltest.New())
	jobs := cron.New(cron.Job{Name: text, Spec: text, Next: cron.Every(time.Second), Work: plantest.Named("", errors.New(text))})
	h.Jobs(text, jobs)
	start(h, jobs.Plan())
	h.loop.Advance(time.Second)
	start(h, flow.Named(text, flow.Then(plantest.Named("", nil), flow.Named(text, syncx.Sync(guard, plantest.Delay(text, time.Hour))))))
	start(h, flow.Named(text, syncx.Sync(guard, plantest.Delay(text, time.Hour))))
	h.attrs = []slog.Attr{slog.String(text, text)}
	start(h, flow.Named(text, plantest.Named(text, errors.New(text))))
	return h
}

func (h *harness) paths() []string {
	v := h.data("")
	all := []string{"index", "plans", "plan?id=1", "plan?id=2", "steps", "guards", "loops", "jobs"}
	for _, run := range append(v.Live, v.Ended...) {
		all = append(all, fmt.Sprintf("run?id=%d", run.ID))
	}
	return all
}

// The elements and attributes of a page don't depend on names and errors.
func TestHostileNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // otherwise the test would wait for a loop that nobody drives
		for _, text := range evil {
			plain, h := hostile(t, "x"), hostile(t, text)
			for i, page := range h.paths() {
				want, got := tags(plain.html(plain.paths()[i])), tags(h.html(page))
				if got != want {
					t.Errorf("%s with %q:\n%s\nwant\n%s", page, text, got, want)
				}
			}
		}
	})
}

// tags returns the tags of a page, as quoted leaves them.
func tags(page string) string {
	var b strings.Builder
	for {
		_, rest, found := strings.Cut(page, "<")
		if !found {
			return b.String()
		}
		tag, rest, _ := strings.Cut(rest, ">")
		b.WriteString("<" + quoted(tag) + ">\n")
		page = rest
	}
}

// quoted removes numbers and quoted values from a tag: a name must not end a quote. TestLinksStayHere checks where links lead.
func quoted(tag string) string {
	tag = attribute.ReplaceAllString(tag, `=""`)
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, tag)
}

var (
	attribute = regexp.MustCompile(`="[^"]*"`)
	leads     = regexp.MustCompile(`(href|src|action|data-live|formaction)="([^"]*)"`)
	known     = regexp.MustCompile(`^((index|plans|plan|steps|run|guards|guard|loops|jobs|job|live|plan\.svg|flight|cancel|dump)(\.json)?(\?[^:<>]*)?(#timeline|#g[0-9]+)?|#main|#g[0-9]+|data:,)$`)
)

func TestLinksStayHere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, text := range evil {
			h := hostile(t, text)
			for _, page := range h.paths() {
				for _, link := range leads.FindAllStringSubmatch(h.html(page), -1) {
					if !known.MatchString(link[2]) {
						t.Errorf("%s with %q: %s", page, text, link[0])
					}
				}
			}
		}
	})
}

// stuck is a value whose text can be had once.
type stuck struct{ once *bool }

func (s stuck) String() string {
	if *s.once {
		select {}
	}
	*s.once = true
	return "A-17"
}

// Pages don't ask attributes for their texts again, because a text may take for ever.
func TestPagesDontAskValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which ends a test whose goroutines all wait
		h := newHarness(t, debug.Options{})
		for _, s := range []step.Step[step.Unit, step.Unit]{plantest.Delay("w", time.Hour), plantest.Named("f", errBad)} {
			h.attrs = []slog.Attr{slog.Any("order", stuck{new(bool)}), slog.Group("about", slog.Any("order", stuck{new(bool)}))}
			start(h, s)
		}
		for _, page := range append(h.paths(), "index?q=A-17", "index?attr=order%3DA-17") {
			if body := h.html(page); strings.HasPrefix(page, "run") && !strings.Contains(body, "A-17") {
				t.Errorf("%s doesn't show the attribute", page)
			}
		}
	})
}

// grumpy isn't well formed. The text of its error can't be had once the error is late.
type grumpy struct {
	*syncx.Mutex

	err *unspoken
}

func (g grumpy) Err() error { return g.err }

type unspoken struct{ late bool }

func (u *unspoken) Error() string {
	if u.late {
		select {}
	}
	return "too old"
}

// The problem is asked for when the guard is shown.
func TestPagesDontAskGuardsForProblems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, debug.Options{})
		err := new(unspoken)
		h.Guard("door", grumpy{syncx.NewMutex(1, -1), err})
		err.late = true
		if body := h.html("guards"); !strings.Contains(body, "too old") {
			t.Errorf("the page doesn't show the problem: %s", body)
		}
	})
}
