package temporal_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// record makes TestPatchOnServer write its histories to testdata.
var record = flag.Bool("record", false, "store histories of this program's plans in testdata")

func appendStep(what string) step.Step[string, string] {
	return step.Await(func(ctx context.Context, s string) (string, error) {
		return s + " " + what + "@" + durable.Key(ctx), nil
	})
}

var gate = flow.Named("gate", flow.Then(flow.Carry(flow.Then(step.Map(func(string) struct{} { return struct{}{} }), durable.Signal[string]("go"))),
	step.Map(func(p flow.Pair[string, string]) string { return p.A + p.B })))

var (
	prepare = flow.Named("prepare", appendStep("prepare"))
	deliver = flow.Named("deliver", flow.Call(appendStep("deliver")))
	bill    = appendStep("bill")
	end     = flow.Named("end", appendStep("end"))
	// Its first step has no name, its second one has the name of a step that comes later in the plan, and its third one is such a step.
	express = flow.Then(appendStep("express"), flow.Then(flow.Named("end", appendStep("track")), bill))
)

func unpatched() *durable.Workflow[string, string] {
	return durable.New("patched", flow.Chain(prepare, deliver, gate, bill, end))
}

func patched() *durable.Workflow[string, string] {
	return durable.New("patched", flow.Chain(prepare, durable.Patch("express", deliver, express), gate,
		durable.Patch("tax", bill, flow.Then(bill, appendStep("tax"))), end))
}

// resultOfCall returns what a call at path adds to the result in a test environment.
func resultOfCall(what, path string) string {
	return " " + what + "@default-test-workflow-id/" + path + "#1"
}

// New runs execute the present versions. The steps outside of patches keep their paths and keys.
func TestPatch(t *testing.T) {
	was := "a" + resultOfCall("prepare", "0") + resultOfCall("deliver", "1#1/0") + "!" + resultOfCall("bill", "3") + resultOfCall("end", "4")
	is := "a" + resultOfCall("prepare", "0") + resultOfCall("express", "1/patch.express/0") + resultOfCall("track", "1/patch.express/1") + resultOfCall("bill", "1/patch.express/2") + "!" +
		resultOfCall("bill", "3/patch.tax/0") + resultOfCall("tax", "3/patch.tax/1") + resultOfCall("end", "4")
	for _, c := range []struct {
		reason  string
		w       *durable.Workflow[string, string]
		version workflow.Version
		want    string
	}{
		{"without patches", unpatched(), 1, was},
		{"a run from before", patched(), workflow.DefaultVersion, was},
		{"a new run", patched(), 1, is},
	} {
		e := env(t, temporal.Of(c.w).Register)
		for _, patch := range []string{"express", "tax"} {
			e.OnGetVersion(patch, workflow.DefaultVersion, workflow.Version(1)).Return(c.version)
		}
		e.RegisterDelayedCallback(func() { e.SignalWorkflow("go", "!") }, time.Hour)
		e.ExecuteWorkflow("patched", "a")
		var out string
		if err := e.GetWorkflowResult(&out); err != nil || out != c.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", c.reason, err, out, c.want)
		}
	}
	for name, fn := range map[string]func() (string, error){
		"flow.Run": func() (string, error) {
			return flow.Run(t.Context(), durable.Patch("p", appendStep("was"), appendStep("is")), "a")
		},
		"durable.Local": func() (string, error) {
			on, loop := durable.Local()
			defer func() { _ = loop.Shutdown(context.Background()) }()
			run, err := durable.New("p", durable.Patch("p", appendStep("was"), appendStep("is"))).Start(t.Context(), on, "p", "a")
			if err != nil {
				return "", err
			}
			return run.Wait(withinLimit(t))
		},
	} {
		if out, err := fn(); err != nil || !strings.HasPrefix(out, "a is@") {
			t.Errorf("%s: got %q, %v", name, out, err)
		}
	}
}

func TestPatchInPicture(t *testing.T) {
	for version, want := range map[workflow.Version]string{workflow.DefaultVersion: "deliver", 1: "express/0"} {
		e := env(t, temporal.Of(patched()).Register)
		for _, patch := range []string{"express", "tax"} {
			e.OnGetVersion(patch, workflow.DefaultVersion, workflow.Version(1)).Return(version)
		}
		e.RegisterDelayedCallback(func() {
			answer, err := e.QueryWorkflow("picture")
			var text string
			if err == nil {
				err = answer.Get(&text)
			}
			if err != nil || strings.Contains(text, "deliver") == strings.Contains(text, "express/0") || !strings.Contains(text, want) {
				t.Errorf("%v\n%s\nwant only %q", err, text, want)
			}
			e.SignalWorkflow("go", "!")
		}, time.Hour)
		e.ExecuteWorkflow("patched", "a")
		if err := e.GetWorkflowError(); err != nil {
			t.Error(err)
		}
	}
}

// The histories are of three runs on a server: one from before the patches, one whose worker got the patches while the run waited at the
// gate, and a new one.
func TestPatchedHistories(t *testing.T) {
	file := func(name string) string { return filepath.Join("testdata", "patch", name+".json") }
	changed := durable.New("patched", flow.Chain(prepare, durable.Patch("express", deliver, express), gate,
		durable.Patch("tax", flow.Named("bill", bill), bill), end))
	for _, c := range []struct {
		history string
		w       durabletest.Workflow
		want    []string // parts of the error; nil if there is none
	}{
		{"before", temporal.Of(unpatched()), nil},
		{"before", temporal.Of(patched()), nil},
		{"midway", temporal.Of(patched()), nil},
		{"after", temporal.Of(patched()), nil},
		{"midway", temporal.Of(unpatched()), []string{"[TMPRL1100]"}}, // the run began with this plan and went on with another one
		{"after", temporal.Of(unpatched()), []string{"the plan has changed since the run began:", `~ 1: kind patch → call, name "express" → "deliver"`}},
		{"before", temporal.Of(changed), []string{"the plan has changed since the run began:", `~ 3: name "" → "bill"`}},
	} {
		err := durabletest.ReplayFile(c.w, file(c.history))
		if c.want == nil && err != nil {
			t.Errorf("%s: %v", c.history, err)
		}
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", c.history, err, want)
			}
		}
		if c.want != nil && err != nil && strings.Contains(err.Error(), "express → ") {
			t.Errorf("%s: a patch counts as a change: %v", c.history, err)
		}
	}
}

// The runs are those of TestPatchedHistories. With -record their histories are stored.
func TestPatchOnServer(t *testing.T) {
	c := serve(t).client()
	on := temporal.Engine(c, "patched")
	start := func(w *durable.Workflow[string, string], id string) durable.Run[string] {
		t.Helper()
		run, err := w.Start(t.Context(), on, id, "a")
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	pass := func(run durable.Run[string], bill string) {
		t.Helper()
		if err := durable.Send(t.Context(), run, "go", "!"); err != nil {
			t.Fatal(err)
		}
		out, err := run.Wait(withinLimit(t))
		if want := "! bill@" + run.ID() + "/" + bill; err != nil || !strings.Contains(out, want) {
			t.Errorf("got %q, %v, want %s", out, err, want)
		}
	}
	var midway durable.Run[string]
	t.Run("before", func(t *testing.T) {
		work(t, c, "patched", temporal.Of(unpatched()).Register)
		pass(start(unpatched(), "before"), "3#1")
		midway = start(unpatched(), "midway")
		ctx := withinLimit(t)
		for place := ""; !strings.HasSuffix(place, " go\n"); time.Sleep(50 * time.Millisecond) {
			var err error
			if place, err = midway.Place(ctx); err != nil {
				t.Fatal(err)
			}
		}
	})
	work(t, c, "patched", temporal.Of(patched()).Register)
	pass(midway, "3/patch.tax/0#1")
	pass(start(patched(), "after"), "3/patch.tax/0#1")
	for _, id := range []string{"before", "midway", "after"} {
		if err := replay(t, c, patched(), id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if *record {
			store(t, c, id, filepath.Join("testdata", "patch", id+".json"))
		}
	}
}

func store(t *testing.T, c client.Client, id, file string) {
	t.Helper()
	text, err := protojson.MarshalOptions{Multiline: true, Indent: " "}.Marshal(historyOf(t, c, id))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o750)
	}
	if err == nil {
		err = os.WriteFile(file, append(text, '\n'), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
