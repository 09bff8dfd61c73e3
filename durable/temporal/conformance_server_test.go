package temporal_test

import (
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
)

// conformAll is an environment variable. If it is set, TestConformanceOnServer runs all programs, otherwise every sixteenth.
const conformAll = "DURABLE_TEST_ALL"

type conforming struct{}

func (conforming) RegisterWorkflows(r temporal.WorkflowRegistry) error {
	r.RegisterWorkflowWithOptions(temporal.Conform, workflow.RegisterOptions{Name: "conform"})
	return nil
}

// The programs have their traces on a server too, and their histories replay.
func TestConformanceOnServer(t *testing.T) {
	every := 16
	if os.Getenv(conformAll) != "" {
		every = 1
	}
	c := serve(t).client()
	w := worker.New(c, "conform", worker.Options{})
	if err := (conforming{}).RegisterWorkflows(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	var all sync.WaitGroup
	places := make(chan struct{}, 12)
	programs, began := 0, time.Now()
	for i, p := range enginetest.Programs(t) {
		if i%every != 0 {
			continue
		}
		programs++
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			id := "conform-" + strconv.Itoa(i)
			run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: "conform"}, "conform", p)
			var diff string
			if err == nil {
				err = run.Get(t.Context(), &diff)
			}
			if err != nil || diff != "" {
				t.Errorf("%s: %v\n%s\nprogram: %s", p.Name, err, diff, p.Program)
				return
			}
			if err = durabletest.Replay(conforming{}, historyOf(t, c, id)); err != nil {
				t.Errorf("%s: replay: %v", p.Name, err)
			}
		})
	}
	all.Wait()
	t.Logf("%d programs in %v", programs, time.Since(began).Round(time.Second))
}
