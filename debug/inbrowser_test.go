package debug_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/browsertest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/syncx"
)

// shoot writes a picture of the page to a file if -screenshots asks for it.
func shoot(b *browsertest.Browser, name string) {
	b.Helper()
	if *screenshots == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(*screenshots, name+".png"), b.Whole(), 0o644); err != nil {
		b.Fatal(err)
	}
}

func serve(h *harness) (address string) {
	server := httptest.NewServer(h)
	h.Cleanup(func() {
		h.Close() // otherwise the server would wait for live updates
		server.Close()
	})
	return server.URL + "/"
}

// fits returns the elements that extend beyond the right edge of the window.
const fits = `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1 &&
	!e.closest("pre, .picture, svg, .unseen, .skip, .axis")).map(e => e.outerHTML.slice(0, 120)).join("\n")`

// faint returns the texts whose contrast to their background is below 4.5, the least that WCAG 2 allows at level AA.
const faint = `(() => {
	const number = c => (c.match(/[\d.]+/g) || []).map(Number);
	const light = c => { const [r, g, b] = number(c).map(v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126 * r + .7152 * g + .0722 * b; };
	const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (number(c)[3] !== 0) return c; } return "rgb(255, 255, 255)"; };
	return [...document.querySelectorAll("body *:not(script)")].filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) && !e.closest(".skip")).map(e => {
		const a = light(getComputedStyle(e).color), b = light(behind(e)), contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		return contrast < 4.5 ? contrast.toFixed(2) + " " + e.outerHTML.slice(0, 80) : "";
	}).filter(Boolean).join("\n");
})()`

// nameless returns the controls and pictures that have no name for a screen reader.
const nameless = `[...document.querySelectorAll("a, button, input:not([type=hidden]), select, summary, meter, svg[role=img], img")].filter(e =>
	!e.textContent.trim() && !e.getAttribute("aria-label") && !e.getAttribute("alt") && !(e.labels && e.labels.length)).map(e => e.outerHTML).join("\n")`

// unreadable returns the texts of charts that are smaller than 9 pixels, or cut off.
const unreadable = `[...document.querySelectorAll(".axes text")].filter(t => {
	const text = t.getBoundingClientRect(), chart = t.ownerSVGElement.getBoundingClientRect();
	return text.height < 9 || text.left < chart.left || text.top < chart.top || text.right > chart.right || text.bottom > chart.bottom + 1;
}).map(t => t.textContent).join("\n")`

var axe = flag.String("axe", "", "check pages with this `file`, axe.min.js of the package axe-core of npm")

// axe-core also checks pages of errors and empty ones.
func TestAxeInBrowser(t *testing.T) {
	if *axe == "" {
		t.Skip("needs -axe")
	}
	program, err := os.ReadFile(*axe)
	if err != nil {
		t.Fatal(err)
	}
	b := browsertest.New(t)
	h := shop(t)
	kept := newHarness(t, debug.Options{})
	full, empty, durable := serve(h), serve(newHarness(t, debug.Options{})), serve(kept)
	var pages []string
	for _, p := range h.shopPages() {
		pages = append(pages, full+p.page)
	}
	for _, p := range keeps(kept) {
		pages = append(pages, durable+p.page)
	}
	for _, page := range []string{"index", "plans", "steps", "guards", "loops", "jobs", "nothing", "run?id=99999999", "index?page=0"} {
		pages = append(pages, empty+page)
	}
	for _, page := range pages {
		for _, dark := range []bool{false, true} {
			b.Look(1280, 900, dark)
			b.Open(page)
			b.Eval(string(program) + "; 0")
			b.Eval(`window.found = ""; axe.run().then(r => window.found = "done " + r.violations.map(v =>
				v.id + ": " + v.nodes.map(n => n.html.slice(0, 200)).join(" | ")).join("\n")); 0`)
			b.Until(`window.found !== ""`)
			if found := b.Eval("window.found"); found != "done " {
				t.Errorf("%s, dark %t: %s", page, dark, found)
			}
		}
	}
}

// Pages fit the window and have enough contrast, wide and narrow, light and dark.
func TestInBrowser(t *testing.T) {
	b := browsertest.New(t)
	h, kept := shop(t), newHarness(t, debug.Options{})
	looks(b, serve(h), h.shopPages())
	looks(b, serve(kept), keeps(kept))
}

func looks(b *browsertest.Browser, address string, pages []says) {
	for _, p := range pages {
		for look, size := range map[string][2]int{"wide": {1280, 900}, "narrow": {390, 800}, "dark": {1280, 900}, "narrow-dark": {390, 800}} {
			b.Look(size[0], size[1], strings.HasSuffix(look, "dark"))
			b.Open(address + p.page)
			p.check(b.T, html.EscapeString(b.Eval("document.documentElement.textContent")))
			for what, expression := range map[string]string{"too wide": fits, "too faint": faint, "unreadable": unreadable, "without a name": nameless} {
				if got := b.Eval(expression); got != "" {
					b.Errorf("%s, %s: %s:\n%s", p.name, look, what, got)
				}
			}
			shoot(b, p.name+"-"+look)
		}
	}
}

// keeps gives h an engine with runs and one that is down, and returns pages about them.
func keeps(h *harness) []says {
	began := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	run := debug.DurableRun{ID: "order-4711", Workflow: "orders", State: "stands still", Why: "the plan has another step at 0/2 than the history", Began: began}
	h.Durable("shop", debug.Durable{
		Runs: func(context.Context, string, string, int) ([]debug.DurableRun, error) {
			return []debug.DurableRun{run, {ID: "order-4712", Workflow: "orders", State: "lives", Began: began}}, nil
		},
		History: func(_ context.Context, id string) (debug.DurableRun, []debug.DurableEvent, error) {
			if id != run.ID {
				return debug.DurableRun{}, nil, errors.New("there is no run " + id)
			}
			return run, []debug.DurableEvent{{At: began, Kind: "started", Data: `{"order":4711}`}, {At: began.Add(time.Second), Kind: "completed", Name: "/0#1", Data: `"paid"`}}, nil
		},
	})
	h.Durable("down", debug.Durable{
		Runs: func(context.Context, string, string, int) ([]debug.DurableRun, error) {
			return nil, errors.New("the file is locked")
		},
		History: func(context.Context, string) (debug.DurableRun, []debug.DurableEvent, error) {
			return debug.DurableRun{}, nil, errors.New("the file is locked")
		},
	})
	return []says{
		{"durable", "durable", []string{"order-4711", "stands still", "the file is locked"}},
		{"durable-run", "durable-run?engine=shop&id=order-4711", []string{"another step at 0/2", "paid"}},
		{"durable-none", "durable-run?engine=shop&id=other", []string{"there is no run other"}},
	}
}

// Updates keep the focus, what is folded, and what is typed.
func TestLiveInBrowser(t *testing.T) {
	b := browsertest.New(t)
	h := newHarness(t, debug.Options{})
	address := serve(h)
	first := start(h, flow.Named("first", plantest.Delay("wait", time.Hour)))
	b.Open(address + "index")
	b.Until(`document.body.dataset.updates > 0`)
	b.Eval(`document.querySelector("input[name=plan]").value = "typed"; document.querySelector("td a").focus(); window.mark = document.activeElement; 0`)
	start(h, flow.Named("second", plantest.Delay("wait", time.Hour)))
	h.loop.Advance(2 * time.Second) // a page is made anew when the clock has moved
	b.Until(`document.body.innerText.includes("second")`)
	if got := b.Eval(`[document.activeElement === mark, mark.isConnected, document.querySelector("input[name=plan]").value].join()`); got != "true,true,typed" {
		t.Errorf("focus and what was typed: %s", got)
	}
	b.Eval(`document.getElementById("live").click(); 0`)
	if got := b.Eval(`document.getElementById("live").getAttribute("aria-pressed") + document.getElementById("live").innerText`); got != "falsePaused" {
		t.Errorf("the button says %s", got)
	}
	first.Cancel(nil)
	h.loop.Advance(2 * time.Second)
	b.Eval(`document.getElementById("live").click(); 0`)
	b.Until(`document.querySelectorAll("h2")[1].innerText.includes("1")`)

	start(h, flow.Named("folded", drop(flow.Par2(plantest.Delay("a", time.Hour), plantest.Delay("b", 2*time.Hour)))))
	id := h.data("").Live[1].ID
	b.Open(fmt.Sprintf("%srun?id=%d", address, id))
	b.Until(`document.body.dataset.updates > 0`)
	b.Eval(`document.querySelector(".tree details details").open = false; 0`)
	h.loop.Advance(90 * time.Minute)
	b.Until(`document.body.innerText.includes("step end")`)
	if got := b.Eval(`document.querySelector(".tree details details").open`); got != "false" {
		t.Error("an update has unfolded the plan")
	}
}

// The first Tab goes to a link past the navigation, and further ones to links and controls.
func TestKeyboardInBrowser(t *testing.T) {
	b := browsertest.New(t)
	h := shop(t)
	b.Open(serve(h) + "index")
	b.Press("Tab", 9)
	if got := b.Eval(`document.activeElement.innerText + getComputedStyle(document.activeElement).left`); !strings.HasPrefix(got, "Skip to content8px") {
		t.Errorf("the first key leads to %s", got)
	}
	seen := map[string]bool{}
	for range 40 {
		b.Press("Tab", 9)
		seen[b.Eval(`(e => e.name || e.id || e.innerText)(document.activeElement)`)] = true
	}
	for _, want := range []string{"Plans", "live", "JSON", "q", "state", "age", "Search"} {
		if !seen[want] {
			t.Errorf("keys don't lead to %s: %v", want, seen)
		}
	}
}

// The key / leads to the search, unless it is pressed in a field.
func TestSearchKeyInBrowser(t *testing.T) {
	b := browsertest.New(t)
	h := shop(t)
	address := serve(h)
	for _, page := range []string{"index", "plans", "guards"} {
		b.Open(address + page)
		b.Press("/", 191)
		if got := b.Eval(`document.activeElement.name + document.activeElement.value`); got != "q" {
			t.Errorf("%s: the key leads to %q", page, got)
		}
		b.Eval(`document.querySelector("[name=q]").value = "kept"`)
		b.Press("/", 191)
		if got := b.Eval(`getSelection().toString()`); got != "" {
			t.Errorf("%s: in the field the key selects %q", page, got)
		}
	}
}

func TestZoomInBrowser(t *testing.T) {
	b := browsertest.New(t)
	h := shop(t)
	pages := h.shopPages()
	address := serve(h)
	b.Open(address + pages[3].page)
	b.Follow(`[...document.querySelectorAll(".timeline th a")].find(a => a.parentElement.innerText.includes("second source")).click()`)
	if got := b.Eval(`document.querySelector(".zoom").innerText`); !strings.Contains(got, "430ms to 1.27s") || !strings.Contains(got, "whole run") {
		t.Errorf("zoomed to %s", got)
	}
	if got := b.Eval(`document.querySelector(".timeline").innerText`); strings.Contains(got, "attempt 2") || !strings.Contains(got, "slow source") {
		t.Errorf("in view is %s", got)
	}
	shoot(b, "zoomed")
}

// A name that runs as a script would change the title.
func TestNoScriptInBrowser(t *testing.T) {
	b := browsertest.New(t)
	h := hostile(t, `"><script>document.title='owned'</script><img src=x onerror="document.title='owned'">`)
	mux := http.NewServeMux()
	mux.Handle("/", h)
	mux.HandleFunc("/naive", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!DOCTYPE html><title>plain</title><script>document.title='owned'</script>`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		h.Close()
		server.Close()
	})
	if b.Open(server.URL + "/naive"); b.Eval("document.title") != "owned" {
		t.Fatal("a script doesn't change the title here")
	}
	for _, page := range h.paths() {
		b.Open(server.URL + "/" + page)
		b.Until(`document.body.dataset.updates > 0`) // also with a live update
		if got := b.Eval(`document.title + document.querySelectorAll("main script, main img[onerror]").length`); !strings.HasSuffix(got, " – asyncsteps0") || strings.HasPrefix(got, "owned") {
			t.Errorf("%s has the title %q", page, got)
		}
		shoot(b, "hostile-"+strings.SplitN(page, "?", 2)[0])
	}
}

// Histories are drawn as lines, and described in words for screen readers.
func TestHistoryInBrowser(t *testing.T) {
	b := browsertest.New(t)
	h := newHarness(t, debug.Options{})
	stock, payments := syncx.NewMutex(8, 20), syncx.NewTokenBucket(3, time.Second, 6, 12)
	h.Guard("stock", stock)
	h.Guard("payments", payments)
	h.Loop("main", h.loop)
	random := rand.New(rand.NewPCG(3, 4))
	order := flow.Named("order", flow.Then(
		syncx.Sync(stock, plantest.Delay("reserve", 2*time.Second)), flow.Of(syncx.Sync(payments, plantest.Delay("charge", 300*time.Millisecond)))))
	for second := range 240 {
		load := 3 + 2*math.Sin(float64(second)/25)
		if second > 150 && second < 170 {
			load += 6 // a burst of requests
		}
		for range int(load + random.Float64()) {
			start(h, order)
		}
		h.loop.Advance(time.Second)
		debug.Sample(h.Handler)
	}
	address := serve(h)
	for page, want := range map[string]string{"guards": "rejected per second in the last minutes: now 0", "loops": "lag in the last minutes: now 0s, at most 0s"} {
		b.Look(1280, 900, true)
		b.Open(address + page)
		if got := b.Eval(`[...document.querySelectorAll("figure svg[role=img]")].map(e => e.getAttribute("aria-label")).join("\n")`); !strings.Contains(got, want) {
			t.Errorf("%s: the lines say\n%s", page, got)
		}
		shoot(b, "history-"+page)
	}
}

func TestCancelInBrowser(t *testing.T) {
	b := browsertest.New(t)
	h := newHarness(t, debug.Options{Control: true})
	run := start(h, flow.Named("long", plantest.Delay("wait", time.Hour)))
	b.Open(fmt.Sprintf("%srun?id=%d", serve(h), h.data("").Live[0].ID))
	b.Follow(`document.querySelector(".control summary").click(); document.querySelector(".danger").click()`)
	for deadline, ended := time.Now().Add(time.Minute), false; !ended; {
		h.loop.Advance(0) // a goroutine tells the loop that the context of the run has ended
		select {
		case <-run.Done():
			ended = true
		default:
			if time.Now().After(deadline) {
				t.Fatal("the run was not cancelled")
			}
			runtime.Gosched()
		}
	}
	h.loop.Advance(2 * time.Second)
	b.Until(`document.querySelector("main").innerText.includes("cancelled by hand") && document.querySelector("main").innerText.includes("It ended")`)
}
