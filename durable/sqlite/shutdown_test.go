package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// work is a workflow of two bodies that take a minute each. calls counts their calls, and cut those that were cut off.
type work struct {
	*durable.Workflow[int, int]
	calls, cut *atomic.Int64
}

func newWork(deaf bool) work {
	w := work{calls: new(atomic.Int64), cut: new(atomic.Int64)}
	body := step.Await(func(ctx context.Context, n int) (int, error) {
		w.calls.Add(1)
		if deaf {
			ctx = context.WithoutCancel(ctx)
		}
		select {
		case <-time.After(time.Minute):
			return n + 1, nil
		case <-ctx.Done():
			w.cut.Add(1)
			return 0, context.Cause(ctx)
		}
	})
	w.Workflow = durable.New("work", flow.Then(flow.Named("first", body), flow.Named("second", body)))
	return w
}

func TestShutdown(t *testing.T) {
	for _, tt := range []struct {
		reason   string
		patience time.Duration
		deaf     bool // the bodies don't hear that their contexts end
		took     time.Duration
		cut      int64
		err      error
	}{
		{"in time", 5 * time.Minute, false, 59 * time.Second, 0, nil},
		{"too late", 10 * time.Second, false, 10 * time.Second, 1, context.DeadlineExceeded},
		{"too late, and deaf", 10 * time.Second, true, 10*time.Second + tool.ShutdownGrace, 0, context.DeadlineExceeded},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "app.db")
			synctest.Test(t, func(t *testing.T) {
				w := newWork(tt.deaf)
				f := openFile(t, path, sqlite.Options{}, w)
				if _, err := w.Start(t.Context(), f.Engine(), "a", 0); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				time.Sleep(time.Second)
				begun := time.Now()
				ctx, stop := context.WithTimeout(t.Context(), tt.patience)
				defer stop()
				ended := make(chan error)
				go func() { ended <- f.Shutdown(ctx) }()
				synctest.Wait()
				if _, err := w.Start(t.Context(), f.Engine(), "late", 10); err != nil { // the run is kept for the next time
					t.Error(err)
				}
				if err := <-ended; !errors.Is(err, tt.err) || time.Since(begun) != tt.took || w.calls.Load() != 1 || w.cut.Load() != tt.cut {
					t.Errorf("%v after %v, %d calls, %d cut off", err, time.Since(begun), w.calls.Load(), w.cut.Load())
				}
				if err := f.Shutdown(t.Context()); err != nil {
					t.Errorf("once more: %v", err)
				}
				time.Sleep(time.Hour) // the deaf body ends
				f = openFile(t, path, sqlite.Options{}, w)
				for id, want := range map[string]int{"a": 2, "late": 12} {
					if n, err := w.Attach(f.Engine(), id).Wait(t.Context()); n != want || err != nil {
						t.Errorf("%s: %d, %v", id, n, err)
					}
				}
				want := int64(4)
				if tt.err != nil {
					want = 5 // the first body is called again
				}
				if w.calls.Load() != want {
					t.Errorf("%d calls, want %d", w.calls.Load(), want)
				}
				closeFile(t, f)
			})
		})
	}
}

func TestShutdownClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		w := newWork(false)
		f := openFile(t, path, sqlite.Options{}, w)
		if err := f.Shutdown(nil); !errors.Is(err, fault.InvalidRequest) { //nolint:staticcheck // it is refused
			t.Errorf("without a context: %v", err)
		}
		if _, err := w.Start(t.Context(), f.Engine(), "a", 0); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		begun, ended := time.Now(), make(chan error)
		go func() { ended <- f.Shutdown(t.Context()) }()
		synctest.Wait()
		closeFile(t, f)
		if err := <-ended; err != nil || time.Since(begun) != 0 || w.cut.Load() != 1 {
			t.Errorf("%v after %v, %d cut off", err, time.Since(begun), w.cut.Load())
		}
	})
}

// A context that has ended before is no reason to say that a body was cut off, if none is being called.
func TestCloseWithoutBodies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, end := range map[string]func(f *sqlite.File) error{
		"Close":    func(f *sqlite.File) error { return f.Close(over) },
		"Shutdown": func(f *sqlite.File) error { return f.Shutdown(over) },
	} {
		for range 10 { // it was a matter of luck
			w := newWork(false)
			f := openFile(t, path, sqlite.Options{}, w)
			if err := end(f); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// A waiting call isn't made when a place becomes free during Shutdown.
func TestShutdownWithLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		w := newWork(false)
		f := openFile(t, path, sqlite.Options{Limits: map[string]int{"first": 1}}, w)
		for _, id := range []string{"a", "b"} {
			if _, err := w.Start(t.Context(), f.Engine(), id, 0); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if err := f.Shutdown(t.Context()); err != nil || w.calls.Load() != 1 || w.cut.Load() != 0 {
			t.Errorf("%v, %d calls, %d cut off", err, w.calls.Load(), w.cut.Load())
		}
	})
}
