package debug_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/browsertest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// The step where the run stands is visible in the list and in the picture, whose steps unfold by a click.
func TestLargePlanInBrowser(t *testing.T) {
	b := browsertest.New(t)
	h := newHarness(t, debug.Options{})
	start(h, foldable())
	h.loop.Advance(time.Minute)
	v := h.data(fmt.Sprintf("run?id=%d", h.data("").Live[0].ID))
	if v.Parts < 380 || v.Parts > 480 {
		t.Fatalf("the plan has %d parts", v.Parts)
	}
	address := serve(h)
	for look, width := range map[string]int{"wide": 1280, "narrow-dark": 390} {
		b.Look(width, 900, look != "wide")
		b.Open(fmt.Sprintf("%srun?id=%d", address, v.ID))
		if got := b.Eval(`[...document.querySelectorAll(".tree summary, .tree .leaf")].filter(e => e.checkVisibility()).length`); got > "99" && len(got) > 2 {
			t.Errorf("%s rows are in view", got)
		}
		if got := b.Eval(`[...document.querySelectorAll(".tree .mark")].filter(e => e.checkVisibility()).map(e => e.parentElement.innerText).join()`); !strings.Contains(got, "the slow one") || !strings.Contains(got, "suspended for 1m0s") {
			t.Errorf("marked is %s", got)
		}
		if got := b.Eval(fits); got != "" {
			t.Errorf("too wide:\n%s", got)
		}
		if got := b.Eval(overflowing); got != "" {
			t.Errorf("texts are wider than their boxes:\n%s", got)
		}
		if got := b.Eval(`getComputedStyle(document.querySelector(".drawn-plan .waiting .box")).fill`); got != "rgb(255, 223, 153)" {
			t.Errorf("the box of the step where it stands has the colour %s: the style isn't in force", got)
		}
		shoot(b, "large-"+look)
	}
	b.Follow(`[...document.querySelectorAll(".drawn-plan a")].find(e => e.textContent.includes("part 7")).dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true}))`)
	if got := b.Eval(`document.querySelector(".drawn-plan").textContent`); !strings.Contains(got, "first of 7") {
		t.Errorf("a click doesn't unfold: %s", got)
	}
	shoot(b, "large-unfolded")
}

const overflowing = `[...document.querySelectorAll(".drawn-plan g")].flatMap(g => [...g.querySelectorAll("text")].filter(t => {
	const inner = t.getBBox(), box = g.querySelector(".box").getBBox();
	return inner.x < box.x || inner.x + inner.width > box.x + box.width || inner.y < box.y || inner.y + inner.height > box.y + box.height;
}).map(t => t.textContent)).join("\n")`

// The list has pages, and a search finds a run.
func TestTenThousandRunsInBrowser(t *testing.T) {
	b := browsertest.New(t)
	h := newHarness(t, debug.Options{Live: 10_000})
	plan := flow.Named("order", flow.Then(plantest.Named("parse", nil), plantest.Delay("pay", time.Hour)))
	for i := range 10_000 {
		h.attrs = []slog.Attr{slog.String("order", fmt.Sprint("A-", i))}
		start(h, plan)
	}
	address := serve(h)
	b.Open(address + "index")
	if got := b.Eval(`document.querySelectorAll("h2")[0].innerText + document.querySelectorAll("tbody tr").length + document.querySelector(".pager").textContent.trim()`); got != "Live 1000050page 1 of 200 after →" {
		t.Errorf("got %q", got)
	}
	b.Follow(`document.querySelector("input[name=attr]").value = "order=A-7777"; document.querySelector("form.search").requestSubmit()`)
	if got := b.Eval(`document.querySelectorAll("tbody tr").length + document.querySelector("tbody tr").innerText`); !strings.Contains(got, "order=A-7777") || got[0] != '1' {
		t.Errorf("found %q", got)
	}
	b.Open(address + "index?page=200")
	if got := b.Eval(`document.querySelector("tbody").innerText`); !strings.Contains(got, "A-9999") {
		t.Errorf("the last page has %q", got)
	}
	shoot(b, "many")
}

// Where does order 4711 stand, and why? The key / and the number tell its place in a queue, and who is inside.
func TestOrder4711InBrowser(t *testing.T) {
	b := browsertest.New(t)
	h := newHarness(t, debug.Options{})
	stock := syncx.NewMutex(1, 10_000)
	h.Guard("stock", stock)
	waits := flow.Named("order", flow.Then(plantest.Named("parse", nil), flow.Named("reserve", syncx.Sync(stock, plantest.Delay("ask the stock", time.Hour)))))
	pays := flow.Named("order", flow.Then(plantest.Named("parse", nil), plantest.Delay("pay", time.Hour)))
	for i := range 10_000 {
		order := 4_000 + i
		if i == 9_999 {
			order = 14_711 // isn't asked for
		}
		h.attrs = []slog.Attr{slog.Int("order", order)}
		start(h, map[bool]flow.Plan[step.Unit, step.Unit]{true: waits, false: pays}[i%100 == 11 || i == 0])
	}
	h.loop.Advance(3 * time.Second)
	address := serve(h)
	began := time.Now()
	b.Open(address + "index")
	opened := time.Since(began)
	b.Press("/", 191)
	b.Follow(`document.activeElement.value = "4711"; document.activeElement.form.requestSubmit()`)
	found := b.Eval(`[...document.querySelectorAll("tbody tr")].map(e => e.innerText).join("\n")`) // perhaps with the run of that number
	t.Logf("the list after %v, the answer after %v", opened, time.Since(began))
	for _, want := range []string{"order=4711", "reserve sync", "queued at stock for 3s, 8 of ", "inside: run ", " for 3s"} {
		if !strings.Contains(found, want) {
			t.Errorf("%q isn't in %s", want, found)
		}
	}
	if rows := strings.Count(found, "order="); rows > 2 || strings.Contains(found, "14711") {
		t.Errorf("%d runs are found: %s", rows, found)
	}
	shoot(b, "order-4711")
	b.Follow(`[...document.querySelectorAll("tbody a")].find(e => e.innerText.startsWith("run ")).click()`)
	if got := b.Eval(`document.querySelector("main").innerText`); !strings.Contains(got, "order=4000") || !strings.Contains(got, "ask the stock") {
		t.Errorf("the click leads to %s", got)
	}
}

// The list says how many it lacks, and the charts can be read when all have ended in one minute, after more than a day.
func TestHundredThousandRunsInBrowser(t *testing.T) {
	b := browsertest.New(t)
	h := newHarness(t, debug.Options{})
	plan := flow.Named("order", plantest.Delay("pay", 30*time.Hour))
	for i := range 100_000 {
		h.attrs = []slog.Attr{slog.Int("order", i)}
		start(h, plan)
	}
	address := serve(h)
	b.Open(address + "index")
	if got := b.Eval(`document.querySelector("main").innerText`); !strings.Contains(got, "90000") {
		t.Errorf("the list doesn't say what it lacks: %s", got)
	}
	shoot(b, "hundred-thousand-live")

	h.loop.Advance(30 * time.Hour)
	h.attrs = nil
	for range 1000 {
		start(h, flow.Named("order", plan))
	}
	start(h, plan)
	for look, width := range map[string]int{"wide": 1280, "narrow": 390} {
		b.Look(width, 900, false)
		b.Open(address + "plan?id=1")
		if got := b.Eval(unreadable); got != "" {
			t.Errorf("%s: unreadable:\n%s", look, got)
		}
		if got := b.Eval(`document.querySelector(".axes:nth-of-type(2)").innerText`); got == "" {
			t.Errorf("%s: no chart of runs", look)
		}
		shoot(b, "hundred-thousand-"+look)
	}
}
