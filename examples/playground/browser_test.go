package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/internal/browsertest"
	"github.com/futoin-go/asyncsteps/internal/picturetest"
)

const started = `document.querySelectorAll("#moves button").length > 0`

// These play in the page, by clicks on its buttons, and append what they see to seen: toCharge plays to the end, and again
// until the bank is asked though an airline has failed; fromCharge cancels that run and takes a move back.
const (
	toCharge = `
		var seen = [];
		var button = (text) => [...document.querySelectorAll("#moves button")].find((b) => b.textContent.includes(text));
		var until = (text) => {
			for (let i = 0; i < 100 && !button(text); i++) button("▶").click();
			if (!button(text)) throw new Error("no button " + text);
		};
		var click = (text) => { until(text); button(text).click(); };
		var states = (of) => of.map((key) => key + " " + ["running", "waiting", "done", "failed"].filter((c) => document.querySelector('[data-key="' + key + '"]').classList.contains(c)));
		var end = () => { for (let i = 0; i < 100 && button("▶"); i++) button("▶").click(); return document.getElementById("result").textContent; };
		seen.push(document.querySelectorAll(".box").length + " boxes");
		for (const call of ["slowAir", "book", "charge"]) click(call + " answers");
		seen.push(end());
		document.getElementById("again").click();
		click("slowAir fails");
		click("quickAir answers");
		click("book answers");
		until("charge answers");
		seen.push(...states(["slowAir", "book", "charge"]));`
	fromCharge = `
		click("cancel the run");
		click("giveBack answers");
		seen.push(...states(["charge", "giveBack"]), end());
		document.getElementById("back").click();
		seen.push("after back: " + document.getElementById("result").textContent);
		JSON.stringify(seen);`
)

// open builds the playground, serves it, and returns a browser that shows it.
func open(t *testing.T) *browsertest.Browser {
	t.Helper()
	b := browsertest.New(t)
	dir := t.TempDir()
	if said, err := exec.CommandContext(t.Context(), "bash", "build", dir).CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, said)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	b.Open(server.URL + "/")
	b.Until(started)
	return b
}

// In a real browser, clicks lead to the end of the run, to a failure of an airline, to a cancel, and a move back.
func TestInBrowser(t *testing.T) {
	var seen []string
	if err := json.Unmarshal([]byte(open(t).Eval(toCharge+fromCharge)), &seen); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"12 boxes", "The run has ended: seat 12A for 40, paid",
		"slowAir failed", "book done", "charge waiting",
		"charge failed", "giveBack waiting", "The run has ended: Cancelled (at 0/2/0/0/0 \"charge\"): context canceled",
		"after back: ",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("the browser has seen (-want +got):\n%s", diff)
	}
}

// The gallery shows the page after some moves.
func TestPicture(t *testing.T) {
	picturetest.Wanted(t)
	b := open(t)
	b.Eval(toCharge)
	b.Look(1200, 900, false)
	picturetest.Page(t, "playground", b)
}
