package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// exitingError ends the goroutine that calls its method Is.
type exitingError struct{}

func (exitingError) Error() string { return "exits" }

func (exitingError) Is(error) bool {
	runtime.Goexit()
	return false
}

var (
	exits   = step.Map(func(n int) int { runtime.Goexit(); return n })
	handles = flow.Catch(exits, func(step.Scope, error) step.Next[int] { return step.Succeed(1) })
	pauses  = step.Delay[int](time.Hour)
)

// A step that ends its goroutine fails, at first and when its run is read again. The other runs go on, however often that happens.
func TestGoexit(t *testing.T) {
	for name, c := range map[string]struct {
		plan   step.Step[int, int]
		out    int
		err    string
		cancel bool
	}{
		"at once":       {plan: exits, err: "runtime.Goexit was called"},
		"after a wait":  {plan: flow.Then(pauses, exits), err: "runtime.Goexit was called"},
		"handled":       {plan: flow.Then(handles, flow.Then(pauses, handles)), out: 1},
		"beside a body": {plan: flow.Then(flow.Par2(handles, step.Await(add)), flow.Then(step.Map(sumOf), pauses)), out: 3},
		"in a hook":     {plan: flow.OnCancel(pauses, func(step.Scope) { runtime.Goexit() }), err: "cancelled", cancel: true},
		"in its error":  {plan: flow.Then(flow.Catch(step.Func(fails), looks), pauses), err: "runtime.Goexit was called"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "app.db")
			synctest.Test(t, func(t *testing.T) {
				w := durable.New("exits", c.plan)
				f := openFile(t, path, sqlite.Options{Idle: time.Minute}, w)
				const runs = 10 // more than there are drivers
				for n := range max(runs, 2*runtime.GOMAXPROCS(0)) {
					if _, err := w.Start(t.Context(), f.Engine(), fmt.Sprint(n), 1); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(10 * time.Minute)
				closeFile(t, f)
				f = openFile(t, path, sqlite.Options{Idle: time.Minute}, w)
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
				defer cancel()
				for n := range runs {
					run := w.Attach(f.Engine(), fmt.Sprint(n))
					if c.cancel {
						if err := run.Cancel(ctx); err != nil {
							t.Error(err)
						}
					}
					if place, err := run.Place(ctx); err != nil {
						t.Errorf("its place: %q, %v", place, err)
					}
					out, err := run.Wait(ctx)
					if out != c.out || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
						t.Errorf("run %d: got %d, %v", n, out, err)
					}
					if err != nil && !c.cancel && !errors.Is(err, fault.InternalError) {
						t.Errorf("run %d: got %v", n, err)
					}
				}
				h, err := f.Operator().History(ctx, "0")
				if err == nil {
					err = sqlite.Replay(w, h)
				}
				if err != nil {
					t.Errorf("replayed: %v", err)
				}
				closeFile(t, f)
			})
		})
	}
}

func fails(step.Scope, int) (int, error) { return 0, exitingError{} }

func looks(_ step.Scope, err error) step.Next[int] {
	if errors.Is(err, context.Canceled) {
		return step.Succeed(0)
	}
	return step.Fail[int](err)
}

func add(_ context.Context, n int) (int, error) { return n + 1, nil }

func sumOf(p flow.Pair[int, int]) int { return p.A + p.B }
