package durable

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/proptest/script"
)

// All programs of the reference do inside of a workflow what they do elsewhere: their traces are equal, ticks included.
func TestConformance(t *testing.T) {
	files, err := filepath.Glob("../proptest/testdata/conformance/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	programs := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, len(text)+1)
		for lines.Scan() {
			if len(bytes.TrimSpace(lines.Bytes())) == 0 {
				continue
			}
			var r struct {
				Name    string          `json:"name"`
				Program json.RawMessage `json:"program"`
				Expect  *script.Trace   `json:"expect"`
			}
			if err = json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			programs++
			t.Run(r.Name, func(t *testing.T) { conforms(t, r.Program, r.Expect) })
		}
	}
	t.Logf("%d programs", programs)
	if programs < 500 {
		t.Errorf("only %d programs", programs)
	}
}

func conforms(t *testing.T, text json.RawMessage, want *script.Trace) {
	t.Helper()
	p, err := script.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	var got *script.Trace
	env := new(testsuite.WorkflowTestSuite).NewTestWorkflowEnvironment()
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		x := (&definition{name: "script", settings: settings{}}).open(ctx)
		var reported []error
		x.report = func(err error) { reported = append(reported, err) }
		var failed error
		got, failed = script.RunOn(p, x.loop, func() []error {
			x.idle(t)
			return reported
		})
		return failed
	})
	if err := env.GetWorkflowError(); err != nil {
		t.Error(err)
	}
	if got == nil {
		t.Fatal("there is no trace")
	}
	if diff := script.Diff(want, got); diff != "" {
		t.Errorf("%s\nprogram: %s", diff, text)
	}
}

// idle turns the loop until nothing is queued any more.
func (x *instance) idle(t *testing.T) {
	for {
		for x.loop.Iterate() {
		}
		if _, more := x.loop.Next(); !more && len(x.works) == 0 {
			return
		}
		if x.arm() {
			continue
		}
		if err := workflow.Await(x.ctx, x.ready); err != nil {
			t.Error(err)
			return
		}
		x.collect()
	}
}
