package debug_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

var screenshots = flag.String("screenshots", "", "write pictures of the pages into this `folder`, to be looked at")

// chromium runs a headless browser, or skips the test where there is none.
func chromium(t *testing.T, args ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes a second for each page")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("Chromium isn't installed: ", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--hide-scrollbars", "--user-data-dir=" + t.TempDir(),
	}, args...)...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("chromium: %v\n%s", err, said.String())
	}
	return string(out)
}

// shop is a rig with something on every page.
func shop(t *testing.T) *rig {
	r := newRig(t, debug.Options{})
	door, stock := syncx.NewLimiter(syncx.Limits{Concurrent: 3, MaxQueue: 8, Rate: 100}), syncx.NewMutex(1, 4)
	r.Guard("door", door)
	r.Guard("stock backend", stock)
	r.Guard("unfinished", new(syncx.Throttle))
	r.Loop("this one", r.loop)
	for i := range 2 {
		l := tool.Start(tool.Options{})
		r.Loop(fmt.Sprintf("core %d", i), l)
		t.Cleanup(func() { _ = l.Shutdown(context.Background()) })
	}
	anyway := func(step.Scope, error) step.Next[none] { return step.Succeed(none{}) }
	order := flow.Named("order", syncx.Sync(door, flow.Then(does("parse", nil), drop(flow.Par3(
		flow.Named("price", flow.Catch(flow.Timeout(time.Hour, takes("ask for the price", 40*time.Minute)), anyway)),
		flow.Named("stock", syncx.Sync(stock, takes("ask for the stock", 30*time.Minute))),
		flow.Named("reviews", flow.Catch(does("find reviews", fault.New("NotFound", "nobody has said anything")), anyway)),
	)))))
	start(r, flow.Named("health", does("ping", nil)))
	for range 5 {
		start(r, order)
		r.loop.Advance(1300 * time.Millisecond)
	}
	late := flow.Timeout(2*time.Second, takes("wait for the bank", time.Hour))
	start(r, flow.Named("payment", flow.Then(does("check", nil), flow.Named("charge", late))))
	start(r, flow.Named("import", flow.Call(does("read", errors.New("line 7: unexpected end of input\nand more")))))
	r.loop.Advance(3 * time.Second)
	return r
}

var (
	stylesheet = regexp.MustCompile(`(?s)<style>(.*)</style>`)
	element    = regexp.MustCompile(`<[^>]*>`)
)

// The browser is told which style is ours by its digest, so it has to be written
// as it is.
func TestStyleIsTheOneAllowed(t *testing.T) {
	r := newRig(t, debug.Options{})
	w := r.ask(http.MethodGet, "", nil)
	found := stylesheet.FindStringSubmatch(w.Body.String())
	if found == nil {
		t.Fatal("there is no style")
	}
	sum := sha256.Sum256([]byte(found[1]))
	if want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(w.Header().Get("Content-Security-Policy"), want) {
		t.Errorf("%s isn't in %s", want, w.Header().Get("Content-Security-Policy"))
	}
}

// says is a page of a shop, and what is to be read on it.
type says struct {
	name, page string
	texts      []string
}

func (r *rig) shopPages() []says {
	v := r.data("")
	return []says{
		{"index", "index", []string{
			"order", "0/1/par.0/0/0", "suspended for 9.5s", "sync: queued at stock backend for 6.9s", "queued at door", "2s", "1s ago",
			"Timeout: step 0/1 charge took longer than 2s", "unexpected end of input", "value",
		}},
		{"run", fmt.Sprintf("run?id=%d", v.Live[0].ID), []string{"ask for the price", "It has lived for 9.5s", "As text", "step start"}},
		{"failed", fmt.Sprintf("run?id=%d", v.Ended[0].ID), []string{"wait for the bank", "left      0 \"payment\" group", "timed out", "It ended 1s ago after 2s"}},
		{"guards", "guards", []string{
			"*syncx.Limiter", "3 inside, 2 queued", "1 inside, 2 queued", "inside for 8.2s", "queued for 4.3s", "not made by NewThrottle",
		}},
		{"loops", "loops", []string{"core 1", "no answer within 250ms"}},
	}
}

// check looks for the texts of a page.
func (s says) check(t *testing.T, page string) {
	t.Helper()
	text := html.UnescapeString(element.ReplaceAllString(page, ""))
	for _, want := range s.texts {
		if !strings.Contains(text, want) {
			t.Errorf("%q isn't in\n%s", want, text)
		}
	}
}

func TestPagesSay(t *testing.T) {
	r := shop(t)
	for _, p := range r.shopPages() {
		t.Run(p.name, func(t *testing.T) { p.check(t, r.html(p.page)) })
	}
}

// A browser shows the pages as they are meant.
func TestInBrowser(t *testing.T) {
	r := shop(t)
	server := httptest.NewServer(r)
	defer server.Close()
	for _, p := range r.shopPages() {
		t.Run(p.name, func(t *testing.T) {
			address := server.URL + "/" + p.page
			if *screenshots != "" {
				for look, flags := range map[string][]string{
					"wide": {"--window-size=1280,1400"}, "narrow": {"--window-size=390,2000"},
					"dark": {"--window-size=1280,1400", "--blink-settings=preferredColorScheme=0"},
				} {
					file := filepath.Join(*screenshots, p.name+"-"+look+".png")
					chromium(t, append(flags, "--screenshot="+file, address)...)
				}
			}
			p.check(t, chromium(t, "--dump-dom", address))
		})
	}
}

// In a page full of hostile names no script runs: one would change the title.
func TestNoScriptInBrowser(t *testing.T) {
	r := hostile(t, `"><script>document.title='owned'</script><img src=x onerror="document.title='owned'">`)
	naive := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!DOCTYPE html><title>plain</title><script>document.title='owned'</script>`)
	})
	mux := http.NewServeMux()
	mux.Handle("/", r)
	mux.Handle("/naive", naive)
	server := httptest.NewServer(mux)
	defer server.Close()
	title := func(page string) string {
		_, rest, _ := strings.Cut(chromium(t, "--dump-dom", server.URL+page), "<title>")
		title, _, _ := strings.Cut(rest, "</title>")
		return title
	}
	if got := title("/naive"); got != "owned" {
		t.Fatalf("a script doesn't change the title here: %q", got)
	}
	pages := r.paths()
	for _, page := range []string{pages[0], pages[3]} { // of all runs, and of one
		if got := title("/" + page); got == "" || strings.Contains(got, "owned") {
			t.Errorf("%s has the title %q", page, got)
		}
	}
}
