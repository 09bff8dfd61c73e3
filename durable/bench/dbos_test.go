package bench

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	_ "github.com/dbos-inc/dbos-transact-golang/dbos/driver/sqlite" // the driver
)

func tenOfDBOS(ctx dbos.Context, n int) (int, error) {
	for range steps {
		var err error
		if n, err = dbos.RunAsStep(ctx, func(context.Context) (int, error) { return n + 1, nil }); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// openDBOS opens DBOS with its default settings.
func openDBOS(t testing.TB, path string) run {
	t.Helper()
	return dbosOn(t, "sqlite:"+path)
}

func openSafeDBOS(t testing.TB, path string) run {
	t.Helper()
	return dbosOn(t, "sqlite:file:"+path+"?_pragma=synchronous(FULL)")
}

func dbosOn(t testing.TB, url string) run {
	t.Helper()
	on, err := dbos.NewContext(context.Background(), dbos.Config{
		AppName: "bench", DatabaseURL: url, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	dbos.RegisterWorkflow(on, tenOfDBOS)
	if err = dbos.Launch(on); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dbos.Shutdown(on, time.Minute); err != nil {
			t.Error(err)
		}
	})
	return func(_ context.Context, id string) (int, error) {
		r, err := dbos.RunWorkflow(on, tenOfDBOS, 0, dbos.WithWorkflowID(id))
		if err != nil {
			return 0, err
		}
		return r.GetResult()
	}
}
