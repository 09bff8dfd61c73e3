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

// Each Close returns when the file is closed, or when its context ends.
func TestCloseBesideClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		w := newWork(true)
		f := openFile(t, path, sqlite.Options{}, w)
		if _, err := w.Start(t.Context(), f.Engine(), "a", 1); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		begun := time.Now()
		first := make(chan error)
		go func() { first <- f.Close(t.Context()) }()
		synctest.Wait()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := f.Close(short); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) != time.Second {
			t.Errorf("for a second: %v after %v", err, time.Since(begun))
		}
		if err := f.Close(t.Context()); err != nil || time.Since(begun) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		closeFile(t, openFile(t, path, sqlite.Options{}, w))
		if err := <-first; err != nil {
			t.Error(err)
		}
		if err := f.Close(short); err != nil {
			t.Errorf("once more: %v", err)
		}
	})
}
