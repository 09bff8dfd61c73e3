package bench

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/cschleiden/go-workflows/backend"
	"github.com/cschleiden/go-workflows/backend/sqlite"
	"github.com/cschleiden/go-workflows/client"
	"github.com/cschleiden/go-workflows/worker"
	"github.com/cschleiden/go-workflows/workflow"
)

func tenOfGoWorkflows(ctx workflow.Context, n int) (int, error) {
	for range steps {
		var err error
		if n, err = workflow.ExecuteActivity[int](ctx, workflow.DefaultActivityOptions, next, n).Get(ctx); err != nil {
			return 0, err
		}
	}
	return n, nil
}

func next(_ context.Context, n int) (int, error) { return n + 1, nil }

// openGoWorkflows is go-workflows, with the settings that its worker has by default.
func openGoWorkflows(t testing.TB, path string) run {
	t.Helper()
	b := sqlite.NewSqliteBackend(path, sqlite.WithBackendOptions(backend.WithLogger(slog.New(slog.DiscardHandler))))
	w := worker.New(b, nil)
	if err := w.RegisterWorkflow(tenOfGoWorkflows); err != nil {
		t.Fatal(err)
	}
	if err := w.RegisterActivity(next); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if err := w.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		if err := w.WaitForCompletion(); err != nil {
			t.Error(err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	c := client.New(b)
	return func(ctx context.Context, id string) (int, error) {
		r, err := c.CreateWorkflowInstance(ctx, client.WorkflowInstanceOptions{InstanceID: id}, tenOfGoWorkflows, 0)
		if err != nil {
			return 0, err
		}
		return client.GetWorkflowResult[int](ctx, c, r, time.Minute)
	}
}
