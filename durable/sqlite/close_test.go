package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The step blocks when it is executed for the first time, and in a replay.
func TestCloseBesideBlockedStep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			block := make(chan struct{})
			blocks := step.Map(func(n int) int {
				<-block //stepvet:ignore it blocks on purpose
				return n + 1
			})
			w := durable.New("blocks", flow.Then(blocks, step.Await(func(context.Context, int) (int, error) {
				t.Error("a body is called after Close")
				return 0, nil
			})))
			f := openFile(t, path, sqlite.Options{}, w)
			if _, err := w.Start(t.Context(), f.Engine(), "a", 1); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("enough"))
			defer cancel()
			if err := f.Close(ctx); err == nil || !strings.Contains(err.Error(), "still being executed: enough") {
				t.Errorf("got %v", err)
			}
			close(block)
			synctest.Wait()
		})
	}
}
