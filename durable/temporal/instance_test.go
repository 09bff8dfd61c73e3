package temporal_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// What a grace has ended is logged as a warning.
func TestCutOffIsAWarning(t *testing.T) {
	var text bytes.Buffer
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelWarn}))))
	e := suite.NewTestWorkflowEnvironment()
	release := flow.Then(step.Map(func(flow.Ended[int, int]) int { return 0 }), step.Delay[int](time.Hour))
	slow := flow.Bracket(step.Map(func(n int) int { return n }), step.Delay[int](time.Hour), release)
	w := temporal.Of(durable.New("race", flow.Race(step.Delay[int](time.Minute), slow), durable.Grace(time.Second)))
	if err := w.Register(e); err != nil {
		t.Fatal(err)
	}
	e.ExecuteWorkflow("race", 1)
	if err := e.GetWorkflowError(); err != nil {
		t.Error(err)
	}
	if got := text.String(); !strings.Contains(got, "level=WARN") || strings.Contains(got, "level=ERROR") || !strings.Contains(got, "did not end within the grace") {
		t.Errorf("logged: %s", got)
	}
}
