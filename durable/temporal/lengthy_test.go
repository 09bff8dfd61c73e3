package temporal_test

import (
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

// The run logs again when its history is twice as long, but not at each step.
func TestLongHistory(t *testing.T) {
	var text strings.Builder
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.NewTextHandler(&text, nil))))
	e := suite.NewTestWorkflowEnvironment()
	hour := step.Delay[int](time.Hour)
	if err := temporal.Of(durable.New("long", flow.Chain(hour, hour, hour, hour, hour, hour))).Register(e); err != nil {
		t.Fatal(err)
	}
	for i, events := range []int{9_999, 10_000, 10_001, 19_999, 20_000} {
		e.RegisterDelayedCallback(func() { e.SetCurrentHistoryLength(events) }, time.Duration(i)*time.Hour+time.Minute)
	}
	e.ExecuteWorkflow("long", 1)
	if err := e.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(text.String(), "has become long"); got != 2 || !strings.Contains(text.String(), "events=10000") || !strings.Contains(text.String(), "events=20000") {
		t.Errorf("logged %d times: %s", got, text.String())
	}
}
