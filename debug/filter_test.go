package debug_test

import (
	"context"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

func TestSearch(t *testing.T) {
	h := newHarness(t, debug.Options{})
	desk := syncx.NewMutex(1, -1)
	h.attrs = []slog.Attr{slog.String("order", "A-1"), slog.Bool("gift", true)}
	start(h, flow.Named("Buy", syncx.Sync(desk, plantest.Delay("pay", time.Hour))))
	h.attrs = []slog.Attr{slog.String("order", "A-2")}
	start(h, flow.Named("Buy", syncx.Sync(desk, plantest.Delay("pay", time.Hour))))
	h.attrs = nil
	h.loop.Advance(10 * time.Second)
	start(h, flow.Named("sell", flow.Then(plantest.Named("offer", nil), drop(flow.Par2(plantest.Delay("ship", time.Hour), plantest.Delay("pay", time.Hour))))))
	start(h, flow.Named("check", flow.Then(plantest.Delay("look", 2*time.Second), flow.Named("verify", flow.Of(plantest.Named("", errBad))))))
	start(h, flow.Named("ping", plantest.Named("", nil)))
	start(h, flow.Named("late", flow.Timeout(time.Second, plantest.Delay("wait", time.Hour))))
	h.loop.Advance(5 * time.Second)
	for query, want := range map[string]string{
		"":                            "Buy Buy sell | check late ping",
		"q=buy":                       "Buy Buy |",
		"plan=BUY":                    "Buy Buy |",
		"plan=nothing":                " |",
		"step=pay":                    "Buy sell |",
		"step=0/0":                    "Buy |",
		"step=0/1/par.0/0":            "sell |",
		"step=verify":                 " | check",
		"state=queued":                "Buy |",
		"state=suspended":             "Buy sell |",
		"state=running":               " |",
		"state=live":                  "Buy Buy sell |",
		"state=ended":                 " | check late ping",
		"state=value":                 " | ping",
		"state=failed":                " | check late",
		"code=Timeout":                " | late",
		"code=Bad":                    " | check",
		"attr=gift":                   "Buy |",
		"attr=order":                  "Buy Buy |",
		"attr=order%3DA-2":            "Buy |",
		"attr=order%3D2":              " |",
		"attr=order%3Da-2":            " |",
		"attr=order%3DA-3":            " |",
		"age=10s":                     "Buy Buy |",
		"age=1s&state=ended":          " | check late",
		"q=A-2":                       "Buy |",
		"q=order%3DA-2":               "Buy |",
		"q=bad+luck":                  " | check",
		"q=ship":                      "sell |",
		"plan=buy&state=queued&age=1": "refused",
		"state=odd":                   "refused",
		"page=0":                      "refused",
		"page=9999999999999999999":    "refused",
		"past=-1":                     "refused",
		"size=x":                      "refused",
		"plan=buy&state=queued":       "Buy |",
		"size=2":                      "Buy Buy | check late",
		"size=2&page=2":               "sell | check late",
		"size=2&page=2&past=2":        "sell | ping",
		"size=2&page=1000000":         " | check late",
		"sort=newest":                 "sell Buy Buy | late ping check",
		"sort=newest&size=1&page=2":   "Buy | late",
		"sort=plan":                   "Buy Buy sell | check late ping",
		"sort=longest":                "Buy Buy sell | check late ping",
		"sort=oldest":                 "Buy Buy sell | check late ping",
		"sort=waiting":                "Buy Buy sell | check late ping",
		"sort=odd":                    "refused",
		"sort=-":                      "refused",
		"sort=--plan":                 "refused",
		"sort=attr:":                  "refused",
		"sort=attr:order":             "Buy Buy sell | check late ping",
	} {
		if want == "refused" {
			if w := h.request(http.MethodGet, "index?"+query, nil); w.Code != http.StatusBadRequest {
				t.Errorf("%s: %d", query, w.Code)
			}
			continue
		}
		v := h.data("index?" + query)
		if got := fmt.Sprint(strings.Join(names(v.Live), " "), " | ", strings.Join(names(v.Ended), " ")); strings.TrimRight(got, " ") != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	if v := h.data("index?size=1&plan=buy"); v.LiveFound != 2 || len(v.Live) != 1 || v.EndedFound != 0 {
		t.Errorf("%d of %d live, %d ended", len(v.Live), v.LiveFound, v.EndedFound)
	}
	page := h.html("index?size=1&page=2")
	for _, want := range []string{`<a href="index?size=1" rel="prev">`, `<a href="index?page=3&amp;size=1" rel="next">`, "page 2 of 3", `value="Buy"`} {
		if !strings.Contains(page, want) {
			t.Errorf("%s isn't in %s", want, page)
		}
	}
}

func names(runs []run) []string {
	all := make([]string, len(runs))
	for i, r := range runs {
		all[i] = r.Name
	}
	return all
}

// A number is found as a whole.
func TestSearchOfNumbers(t *testing.T) {
	h := newHarness(t, debug.Options{})
	for i, order := range []string{"X4711", "714711", "4711", "47110", "0-471147111-4711", "47112 4711"} {
		h.attrs = []slog.Attr{slog.String("order", order)}
		start(h, flow.Named(string(rune('a'+i)), plantest.Delay("pay", time.Hour)))
	}
	for q, want := range map[string]string{
		"4711": "a,c,e,f", "714711": "b", "order=4711": "c", "order=47": "", "order=x": "a", "0-4711": "", "47112": "f", "2 4711": "", "471": "",
	} {
		if got := strings.Join(names(h.data("index?q="+url.QueryEscape(q)).Live), ","); got != want {
			t.Errorf("%s: %s, want %s", q, got, want)
		}
	}
}

func TestFormKeepsTheQuery(t *testing.T) {
	h := newHarness(t, debug.Options{})
	page := h.html("index?q=a%22b&plan=p&step=s&state=queued&code=c&attr=k%3Dv&age=90s")
	for _, want := range []string{
		`name="q" value="a&#34;b"`, `name="plan" value="p"`, `name="step" value="s"`, `<option selected>queued</option>`,
		`name="code" value="c"`, `name="attr" value="k=v"`, `name="age" value="1m30s"`, `<a href="index">Show all</a>`, "No live run is like that.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s isn't in %s", want, page)
		}
	}
}

// The length of a query is bounded, because a page repeats it.
func TestLongQuery(t *testing.T) {
	h := newHarness(t, debug.Options{})
	for _, page := range []string{"index?q=", "index.json?q=", "plans?q=", "guards?x=", "plan.svg?id=", "run?id="} {
		if w := h.request(http.MethodGet, page+strings.Repeat("%2B", 1_000_000), nil); w.Code != http.StatusRequestURITooLong || w.Body.Len() > 100 {
			t.Errorf("%s: %d, %d bytes", page, w.Code, w.Body.Len())
		}
	}
	if page := h.html("index?q=" + strings.Repeat("x", 1900)); len(page) > 20_000 {
		t.Errorf("a long query makes a page of %d bytes", len(page))
	}
}

// Attributes are on the page of the run as soon as a step sets them.
func TestAttributesOnPages(t *testing.T) {
	h := newHarness(t, debug.Options{})
	h.attrs = []slog.Attr{slog.String("order", "A-1")}
	start(h, step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
		observe.SetAttrs(as.Context(), slog.Int("items", 3), slog.String("long", strings.Repeat("x", 1000)))
		return step.Wait(as, func(step.Done[step.Unit]) {})
	}))
	v := h.data("").Live[0]
	if len(v.Attrs) != 3 || v.Attrs[0].Value != "A-1" || v.Attrs[1].Value != "3" || len(v.Attrs[2].Value) > 210 {
		t.Errorf("got %+v", v.Attrs)
	}
	for _, page := range []string{"index", fmt.Sprintf("run?id=%d", v.ID)} {
		if html := h.html(page); !strings.Contains(html, "<bdi>items</bdi>=<bdi>3</bdi>") {
			t.Errorf("%s has no attribute: %s", page, html)
		}
	}
}

// The text of an attribute is made once, by WithAttrs, so pages call no code of the user.
func TestTextOfAnAttributeIsMadeOnce(t *testing.T) {
	h := newHarness(t, debug.Options{})
	made := 0
	text := curious(func() string {
		made++
		return h.html("index")[:0] + "seen"
	})
	ctx := observe.WithAttrs(observe.With(context.Background(), h), slog.Any("text", text))
	if made != 1 {
		t.Errorf("WithAttrs has made it %d times", made)
	}
	flow.Start(ctx, h.loop, drop(plantest.Delay("", time.Hour)), step.Unit{})
	h.loop.Advance(0)
	for range 2 {
		if v := h.data("").Live[0]; len(v.Attrs) != 1 || v.Attrs[0].Value != "seen" {
			t.Errorf("%+v", v.Attrs)
		}
	}
	if h.data("index?q=seen&attr=text"); made != 1 {
		t.Errorf("it was made %d times", made)
	}
}

// Only the attributes of runs that are otherwise as asked for are formatted.
func TestSearchFormatsFewAttributes(t *testing.T) {
	h := newHarness(t, debug.Options{})
	h.attrs = []slog.Attr{slog.String("order", "A-1")}
	start(h, flow.Named("Buy", plantest.Delay("pay", time.Hour)))
	for _, other := range []string{"state=ended", "age=1h", "step=look", "code=Bad", "plan=sell"} {
		if h.data("index?q=A-1&attr=order&" + other); h.Formatted() != 0 {
			t.Errorf("%s: the attributes were formatted", other)
		}
	}
	if h.data("index?q=A-1&attr=order&state=live"); h.Formatted() != 1 {
		t.Error("the attributes weren't looked at")
	}
}

type curious func() string

func (c curious) String() string { return c() }

type tallied struct {
	Name, Path, Label, Plan string
	Live, Good, Failed      int
	Rate                    float64
	Times                   struct {
		Count              int
		P50, P95, P99, Max float64
	}
}

func TestFiguresOfPlansAndSteps(t *testing.T) {
	h := newHarness(t, debug.Options{})
	n := 0
	pay := flow.Named("pay", step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
		n++
		if n%10 == 0 {
			return step.Fail[step.Unit](errBad)
		}
		return step.Wait(as, func(done step.Done[step.Unit]) {
			as.Loop().Deferred(time.Duration(n)*10*time.Millisecond, func() { done.Succeed(step.Unit{}) })
		})
	}))
	order := flow.Named("order", flow.Then(flow.Of(pay), plantest.Named("end", nil)))
	for range 100 {
		start(h, order)
		h.loop.Advance(time.Second)
	}
	start(h, order)
	start(h, flow.Named("other", flow.Of(pay)))
	var v struct{ Plans, Steps []tallied }
	h.into("plans", &v)
	if len(v.Plans) != 2 || v.Plans[0].Name != "order" || v.Plans[0].Live != 1 || v.Plans[0].Good != 90 || v.Plans[0].Failed != 10 {
		t.Fatalf("plans: %+v", v.Plans)
	}
	if rate := v.Plans[0].Rate; rate < 0.9 || rate > 1.1 {
		t.Errorf("%v runs per second", rate)
	}
	h.into("steps?plan=order", &v)
	if len(v.Steps) != 3 || v.Steps[1].Label != "pay" || v.Steps[1].Path != "0/0" {
		t.Fatalf("steps: %+v", v.Steps)
	}
	times := v.Steps[1].Times
	for name, c := range map[string][2]float64{"p50": {times.P50, 0.44}, "p95": {times.P95, 0.94}, "p99": {times.P99, 0.99}, "max": {times.Max, 0.99}} {
		if c[0] < c[1]*0.9 || c[0] > c[1]*1.1 {
			t.Errorf("%s is %v, want about %v", name, c[0], c[1])
		}
	}
	if v.Steps[1].Failed != 10 || v.Steps[1].Good != 90 || v.Steps[1].Live != 1 || times.Count != 100 {
		t.Errorf("pay: %+v", v.Steps[1])
	}
	var sorted []string
	for _, order := range []string{"plan", "live", "good", "rate", "failed", "p50", "p95", "p99", "longest"} {
		h.into("plans?size=1&sort="+order, &v)
		sorted = append(sorted, fmt.Sprint(order, ": ", len(v.Plans), " ", v.Plans[0].Name))
	}
	if diff := cmp.Diff([]string{"plan: 1 order", "live: 1 order", "good: 1 order", "rate: 1 order", "failed: 1 order", "p50: 1 order", "p95: 1 order", "p99: 1 order", "longest: 1 order"}, sorted); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, page := range []string{"plans?sort=odd", "plans?sort=-plan", "steps?page=0", "plans?size=x"} {
		if w := h.request(http.MethodGet, page, nil); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", page, w.Code)
		}
	}
	if page := h.html("steps?plan=order&step=pay"); !strings.Contains(page, `href="index?plan=order&amp;state=live&amp;step=0%2F0"`) {
		t.Errorf("no link to the runs in %s", page)
	}
	if found := h.data("index?plan=order&state=live&step=0/0"); found.LiveFound != 1 {
		t.Errorf("the link of a step with a live run leads to %d", found.LiveFound)
	}
}

// Elements of a ParEach are counted as one step of the plan.
func TestElementsAreOneStep(t *testing.T) {
	h := newHarness(t, debug.Options{})
	each := flow.Then(step.Map(func(step.Unit) []step.Unit { return make([]step.Unit, 30) }), flow.ParEach(30, plantest.Delay("of many", time.Second)))
	start(h, flow.Named("each", drop(each)))
	h.loop.Advance(500 * time.Millisecond)
	var v struct{ Steps []tallied }
	h.into("steps?step=of+many", &v)
	if len(v.Steps) != 1 || v.Steps[0].Live != 30 || !strings.HasSuffix(v.Steps[0].Path, "each.N/0") {
		t.Errorf("got %+v", v.Steps)
	}
	h.loop.Run()
	if h.into("steps?step=of+many", &v); v.Steps[0].Live != 0 || v.Steps[0].Good != 30 {
		t.Errorf("at last %+v", v.Steps)
	}
}

// Plans that are built for each run share a line.
func TestFiguresAreBounded(t *testing.T) {
	h := newHarness(t, debug.Options{})
	for range 10 {
		start(h, flow.Named("again", plantest.Named("", nil)))
	}
	twins := []step.Step[step.Unit, step.Unit]{flow.Named("twin", plantest.Named("", nil)), flow.Named("twin", plantest.Named("", nil))} // same Site
	start(h, twins[0])
	for i := range 700 {
		start(h, flow.Named(fmt.Sprint("plan ", i), plantest.Named("", nil)))
	}
	start(h, twins[1])
	many := flow.Of(plantest.Named("", nil))
	for range 3000 {
		many = flow.Then(many, plantest.Named("", nil))
	}
	start(h, flow.Named("again", many))
	var v struct {
		Plans []tallied
		Steps []tallied
		Found int
	}
	h.into("plans?size=1000", &v)
	last := v.Plans[len(v.Plans)-1]
	if len(v.Plans) != 501 || v.Plans[0].Name != "again" || v.Plans[0].Good != 10 || last.Name != "other plans" || last.Good != 203 {
		t.Errorf("%d plans, %+v … %+v", len(v.Plans), v.Plans[0], last)
	}
	if twin := v.Plans[1]; twin.Name != "twin" || twin.Good != 2 {
		t.Errorf("plans with the same name and Site: %+v", twin)
	}
	h.into("steps?plan=other+plans&step=other+steps", &v)
	if v.Found != 1 || len(v.Steps) != 1 || v.Steps[0].Good != 2204 {
		t.Errorf("%d lines for other steps: %+v", v.Found, v.Steps)
	}
	if h.into("steps?plan=other+plans", &v); v.Found != 1001 {
		t.Errorf("%d steps", v.Found)
	}
}

// The link of an attribute finds the runs with its value.
func TestAttributesAreLinks(t *testing.T) {
	h := newHarness(t, debug.Options{})
	long := strings.Repeat("x", 300)
	for _, a := range []slog.Attr{
		slog.Int("order", 4711), slog.Int("order", 14711), slog.String("a=b", "c=d"), slog.String("a", "b=c=d&e"), slog.String("long", long), slog.String("long", long+"y"),
	} {
		h.attrs = []slog.Attr{a, slog.String("tenant", "north")}
		start(h, plantest.Delay("w", time.Hour))
	}
	links := regexp.MustCompile(`<a class="attr" href="([^"]*)"`).FindAllStringSubmatch(h.html("index"), -1)
	if len(links) != 12 {
		t.Fatalf("there are %d links", len(links))
	}
	for i, link := range links {
		want := 1
		switch {
		case i%2 == 1:
			want = 6 // the tenant
		case i >= 8:
			want = 2 // as far as the text is kept
		}
		if v := h.data(html.UnescapeString(link[1])); v.LiveFound != want {
			t.Errorf("%s finds %d, want %d", link[1], v.LiveFound, want)
		}
	}
}

func TestListedByDefault(t *testing.T) {
	h := newHarness(t, debug.Options{})
	plan := plantest.Delay("w", time.Hour)
	ctx := observe.With(context.Background(), h)
	for range 10_001 {
		flow.Start(ctx, h.loop, plan, step.Unit{})
	}
	h.loop.Advance(0)
	if v := h.data("index?size=1"); v.LiveFound != 10_000 || v.Unlisted != 1 {
		t.Errorf("%d are listed, %d not", v.LiveFound, v.Unlisted)
	}
}
