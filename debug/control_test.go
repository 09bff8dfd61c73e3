package debug_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/trace"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

func (h *harness) post(page string, header http.Header) *httptest.ResponseRecorder {
	h.Helper()
	return h.request(http.MethodPost, page, header)
}

var (
	sameOrigin  = http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {"http://example.com"}}
	otherOrigin = []http.Header{
		{"Sec-Fetch-Site": {"cross-site"}}, {"Sec-Fetch-Site": {"same-site"}}, {"Origin": {"http://evil.example"}}, {"Origin": {"null"}},
	}
)

// refuses checks that requests from elsewhere, or that aren't POST, are refused.
func (h *harness) refuses(page string) {
	h.Helper()
	for _, header := range otherOrigin {
		if w := h.post(page, header); w.Code != http.StatusForbidden {
			h.Errorf("from %v: %d", header, w.Code)
		}
	}
	if w := h.request(http.MethodGet, page, sameOrigin); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "POST" {
		h.Errorf("GET: %d", w.Code)
	}
}

// onlyShows checks that a page without Control has no form, and that what the form would ask for is refused.
func (h *harness) onlyShows(page, action string) {
	h.Helper()
	if w := h.post(action, sameOrigin); w.Code != http.StatusForbidden {
		h.Errorf("without Control: %d", w.Code)
	}
	if strings.Contains(h.html(page), `<form method="post"`) {
		h.Error("a form without Control")
	}
}

func TestCancelByHand(t *testing.T) { synctest.Test(t, testCancelByHand) }

func testCancelByHand(t *testing.T) {
	h := newHarness(t, debug.Options{Control: true})
	run := start(h, flow.Named("long", plantest.Delay("", time.Hour)))
	id := h.data("").Live[0].ID
	page := fmt.Sprintf("cancel?id=%d", id)
	if html := h.html(fmt.Sprintf("run?id=%d", id)); !strings.Contains(html, fmt.Sprintf(`<form method="post" action="cancel?id=%d">`, id)) {
		t.Errorf("no form in %s", html)
	}
	h.refuses(page)
	h.loop.Advance(0)
	if _, err := run.Result(); !errors.Is(err, flow.ErrRunning) {
		t.Fatalf("the run has ended: %v", err)
	}
	if w := h.post(page, sameOrigin); w.Code != http.StatusSeeOther || w.Header().Get("Location") != fmt.Sprintf("/debug/asyncsteps/run?id=%d", id) {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	synctest.Wait() // until the loop has noticed that the context of the run has ended
	h.loop.Advance(0)
	if _, err := run.Result(); !errors.Is(err, fault.Cancelled) || !strings.Contains(fmt.Sprintf("%+v", err), "cancelled by hand") {
		t.Errorf("the run has ended with %+v", err)
	}
	for page, status := range map[string]int{page: http.StatusConflict, "cancel": http.StatusBadRequest, "cancel?id=0": http.StatusNotFound} {
		if w := h.post(page, sameOrigin); w.Code != status {
			t.Errorf("%s: %d, want %d", page, w.Code, status)
		}
	}
}

func TestNoControl(t *testing.T) {
	h := newHarness(t, debug.Options{})
	run := start(h, plantest.Delay("", time.Hour))
	id := h.data("").Live[0].ID
	for _, page := range []string{"cancel", "dump"} {
		if w := h.post(fmt.Sprintf("%s?id=%d", page, id), sameOrigin); w.Code != http.StatusForbidden {
			t.Errorf("%s: %d", page, w.Code)
		}
	}
	h.loop.Advance(0)
	if _, err := run.Result(); !errors.Is(err, flow.ErrRunning) {
		t.Errorf("the run has ended: %v", err)
	}
	if page := h.html(fmt.Sprintf("run?id=%d", id)); strings.Contains(page, `method="post"`) {
		t.Errorf("there is a form in %s", page)
	}
}

// The context that control adds to a run ends with the run.
func TestControlLeavesNothingBehind(t *testing.T) {
	h := newHarness(t, debug.Options{Control: true})
	var inner context.Context
	keep := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		inner = ctx
		return ctx, nil
	})
	ctx := observe.With(observe.With(t.Context(), h), keep)
	if _, err := flow.Run(ctx, flow.Of(plantest.Named("", nil)), step.Unit{}); err != nil {
		t.Fatal(err)
	}
	if inner.Err() == nil {
		t.Error("the context of a run that has ended goes on")
	}
}

func TestDump(t *testing.T) {
	h := newHarness(t, debug.Options{Control: true})
	start(h, flow.Named("long", plantest.Delay("here", time.Hour)))
	id := h.data("").Live[0].ID
	w := h.post(fmt.Sprintf("dump?id=%d", id), sameOrigin)
	var v struct {
		Run        shown
		Goroutines string
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil { //nolint:musttag // the names are the same without their case
		t.Fatalf("%v in %s", err, w.Body)
	}
	if v.Run.ID != id || v.Run.Stands[0].Label != "long" || !strings.Contains(v.Goroutines, "TestDump") {
		t.Errorf("got %+v", v)
	}
	if got := w.Header().Get("Content-Disposition"); got != fmt.Sprintf(`attachment; filename="run-%d.json"`, id) {
		t.Errorf("it is shown as %s", got)
	}
	if w := h.post(fmt.Sprintf("dump?id=%d", id), otherOrigin[0]); w.Code != http.StatusForbidden {
		t.Errorf("from another site: %d", w.Code)
	}
}

func TestFlightRecord(t *testing.T) {
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{})
	if err := recorder.Start(); err != nil {
		t.Skip("a trace is being taken already: ", err)
	}
	defer recorder.Stop()
	h := debug.New(debug.Options{Hosts: hosts, Flight: recorder})
	ran := make(chan error)
	go func() { ran <- h.Run(t.Context()) }()
	ctx := observe.With(t.Context(), h)
	if _, err := flow.Run(ctx, flow.Named("bad", flow.Of(plantest.Named("step", errBad))), step.Unit{}); err == nil {
		t.Fatal("no error")
	}
	id := endedRun(t, h)
	for !strings.Contains(get(t, h, fmt.Sprintf("/run?id=%d", id)).Body.String(), "flight?id=") {
		if t.Context().Err() != nil {
			t.Fatal("there is no flight record")
		}
	}
	w := get(t, h, fmt.Sprintf("/flight?id=%d", id))
	z, err := zip.NewReader(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(body)
	}
	if !strings.HasPrefix(files["trace.out"], "go 1.") || !strings.Contains(files["run.json"], "bad luck") {
		t.Errorf("%.20q and %s", files["trace.out"], files["run.json"])
	}
	if _, err := flow.Run(ctx, flow.Of(plantest.Named("step", errBad)), step.Unit{}); err == nil {
		t.Fatal("no error")
	}
	if w := get(t, h, fmt.Sprintf("/flight?id=%d", endedRun(t, h))); w.Code != http.StatusNotFound {
		t.Errorf("a second record a moment later: %d", w.Code)
	}
	h.Close()
	if err := <-ran; err != nil {
		t.Errorf("Run has ended with %v", err)
	}
}

// Calls of Run share the samples, one a second.
func TestHistories(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := debug.New(debug.Options{Hosts: hosts})
		loop, door := tool.Start(tool.Options{}), syncx.NewMutex(1, 1)
		h.Loop("loop", loop)
		h.Guard("door", door)
		ctx, cancel := context.WithCancelCause(t.Context())
		ran := make(chan error, 2)
		for range 2 {
			go func() { ran <- h.Run(ctx) }()
		}
		observed := observe.With(t.Context(), h)
		section := flow.Of(syncx.Sync(door, plantest.Delay("inside", 4*time.Second)))
		for range 3 {
			flow.Start(observed, loop, section, step.Unit{})
		}
		<-time.After(10500 * time.Millisecond)
		var v struct {
			Guards []struct {
				Capacity, Entered, Rejected int
				Rate                        float64
				Waits                       struct{ P50, Max float64 }
				History                     []struct{ Inside, Queued int }
			}
			Loops []struct {
				Lag     float64
				History []struct {
					Lag  float64
					Live int
				}
			}
		}
		page := func(name string) string {
			body := get(t, h, "/"+name).Body.Bytes()
			_ = json.Unmarshal(body, &v) //nolint:musttag // names differ only in their case; an HTML page leaves v empty
			return string(body)
		}
		page("guards.json")
		page("loops.json")
		g := v.Guards[0]
		if g.Capacity != 1 || g.Entered != 2 || g.Rejected != 1 || g.Waits.P50 != 0 || g.Waits.Max != 4 || g.Rate <= 0 {
			t.Errorf("guard: %+v", g)
		}
		if n := len(g.History); n < 10 || n > 12 || g.History[3].Queued != 1 || g.History[7].Inside != 1 || g.History[9].Inside != 0 {
			t.Errorf("%d samples of the guard: %+v", n, g.History)
		}
		if n := len(v.Loops[0].History); n < 9 || n > 11 || v.Loops[0].History[2].Live != 2 || v.Loops[0].History[9].Live != 0 {
			t.Errorf("%d samples of the loop: %+v", n, v.Loops[0].History)
		}
		_, _ = loop.Immediate(func() { <-time.After(3500 * time.Millisecond) }) // a callback that blocks
		<-time.After(3 * time.Second)
		page("loops.json")
		if past := v.Loops[0].History; past[len(past)-1].Lag < 2 {
			t.Errorf("of a stuck loop %+v", past)
		}
		if html := page("guards"); !strings.Contains(html, "<polyline points=") || !strings.Contains(html, "1 rejected") || !strings.Contains(html, "4s at most") {
			t.Errorf("no history in %s", html)
		}
		cancel(errBad)
		for range 2 {
			if err := <-ran; !errors.Is(err, errBad) {
				t.Errorf("Run has ended with %v", err)
			}
		}
		if err := loop.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := h.Run(nil); !errors.Is(err, fault.InvalidRequest) { //nolint:staticcheck // a program may do this
			t.Errorf("with no context: %v", err)
		}
	})
}
