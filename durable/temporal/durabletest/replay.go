// Package durabletest tests how plans run on Temporal, without a server: it runs them, and replays histories of their runs.
package durabletest

import (
	"errors"
	"log/slog"
	"os"
	"strings"

	history "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable/temporal"
)

// Workflow is a workflow with its child workflows, as Replay registers them. The result of temporal.Of is one.
type Workflow interface {
	RegisterWorkflows(r temporal.WorkflowRegistry) error
}

// Replay executes the plan against the history of one of its runs, without calling the bodies of its step.Awaits. It returns nil if
// the plan does the same as in the history. Otherwise the error says why. If the plan isn't the one with which the run began, the
// error lists the differences.
func Replay(w Workflow, h *history.History) (err error) {
	for range 3 {
		if err = replay(w, h); err == nil || !strings.Contains(err.Error(), starved) {
			break
		}
	}
	return err
}

// starved is the code of the SDK's error for a workflow that hasn't yielded for a second. On a busy machine that
// doesn't mean that the workflow is stuck.
const starved = "[TMPRL1101]"

func replay(w Workflow, h *history.History) error {
	r, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{})
	if err != nil {
		return err
	}
	if err = w.RegisterWorkflows(r); err != nil {
		return err
	}
	var options worker.ReplayWorkflowHistoryOptions
	if len(h.GetEvents()) > 0 { // the ids of child workflows begin with the id of the run
		began := h.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes()
		options.OriginalExecution = workflow.Execution{ID: began.GetWorkflowId(), RunID: began.GetOriginalExecutionRunId()}
	}
	return r.ReplayWorkflowHistoryWithOptions(quiet, h, options)
}

// ReplayFile is [Replay] for a history in a file, as "temporal workflow show --output json" writes it. Commit some histories of each
// version that has live runs, and replay them in a test.
func ReplayFile(w Workflow, file string) (err error) {
	f, err := os.Open(file) //nolint:gosec // the caller names it
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h, err := client.HistoryFromJSON(f, client.HistoryJSONOptions{})
	if err != nil {
		return err
	}
	return Replay(w, h)
}

var quiet = log.NewStructuredLogger(slog.New(slog.DiscardHandler))
