package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/internal/picturetest"
)

// patience bounds the time of a browser on a busy machine.
const patience = 5 * time.Minute

// driver plays in the page, by clicks on its buttons, and reports what it has seen.
const driver = `<script>
addEventListener("asyncsteps", () => setTimeout(() => { // behind the listener of the page
  const button = (text) => [...document.querySelectorAll("#moves button")].find((b) => b.textContent.includes(text));
  const until = (text) => {
    for (let i = 0; i < 100 && !button(text); i++) button("▶").click();
    if (!button(text)) throw new Error("no button " + text);
  };
  const click = (text) => { until(text); button(text).click(); };
  const states = (of) => of.map((key) => key + " " + ["running", "waiting", "done", "failed"].filter((c) => document.querySelector('[data-key="' + key + '"]').classList.contains(c)));
  const end = () => { for (let i = 0; i < 100 && button("▶"); i++) button("▶").click(); return document.getElementById("result").textContent; };
  const seen = [];
  try {
    seen.push(document.querySelectorAll(".box").length + " boxes");
    for (const call of ["slowAir", "book", "charge"]) click(call + " answers");
    seen.push(end());
    document.getElementById("again").click();
    click("slowAir fails");
    click("quickAir answers");
    click("book answers");
    until("charge answers");
    seen.push(...states(["slowAir", "book", "charge"]));
    click("cancel the run");
    click("giveBack answers");
    seen.push(...states(["charge", "giveBack"]), end());
    document.getElementById("back").click();
    seen.push("after back: " + document.getElementById("result").textContent);
  } catch (err) {
    seen.push(String(err), document.getElementById("plan").textContent);
  }
  fetch("report", { method: "POST", body: JSON.stringify(seen) });
}));
</script>
`

// site makes the files of the playground and serves them, with text added to the page.
func site(t *testing.T, added string, report chan<- []string) *httptest.Server {
	t.Helper()
	dir := t.TempDir()
	if said, err := exec.CommandContext(t.Context(), "bash", "build", dir).CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, said)
	}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(dir)))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Replace(string(page), "<header>", added+"<header>", 1))
	})
	mux.HandleFunc("POST /report", func(_ http.ResponseWriter, r *http.Request) {
		var seen []string
		if err := json.NewDecoder(r.Body).Decode(&seen); err != nil {
			seen = []string{err.Error()}
		}
		report <- seen
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// In a real browser, clicks take the run to its end, to a failure of one airline, to a cancel, and a move back.
func TestInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for the browser")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("Chromium isn't installed: ", err)
	}
	report := make(chan []string, 1)
	server := site(t, driver, report)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--user-data-dir="+t.TempDir(), server.URL)
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cancel(); _ = cmd.Wait() }() // it lives until it is killed
	select {
	case seen := <-report:
		want := []string{
			"12 boxes", "The run has ended: seat 12A for 40, paid",
			"slowAir failed", "book done", "charge waiting",
			"charge failed", "giveBack waiting", "The run has ended: Cancelled (at 0/2/0/0/0 \"charge\"): context canceled",
			"after back: ",
		}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Errorf("the browser has seen (-want +got):\n%s", diff)
		}
	case <-ctx.Done():
		t.Error("the browser reports nothing")
	}
}

// The gallery shows the page after some moves.
func TestPicture(t *testing.T) {
	picturetest.Wanted(t)
	report := make(chan []string, 1)
	some := strings.Replace(driver, `seen.push(...states(["slowAir"`, `throw "enough"; seen.push(...states(["slowAir"`, 1)
	server := site(t, some+`<img src="moved" alt="">`, report) // the picture is taken when the page is complete
	server.Config.Handler.(*http.ServeMux).HandleFunc("GET /moved", func(http.ResponseWriter, *http.Request) { <-report })
	picturetest.Page(t, "playground", server.URL, 1200, 900)
}
