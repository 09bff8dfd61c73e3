package sqlite_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// A step whose body doesn't end within its grace isn't a place of the run any more, whatever has made the step of a body.
func TestPlaceOfLeftBody(t *testing.T) {
	for kind, body := range map[string]func(left chan struct{}) step.Step[int, int]{
		"await": func(left chan struct{}) step.Step[int, int] {
			return step.Await(func(_ context.Context, n int) (int, error) { <-left; return n, nil })
		},
		"do": func(left chan struct{}) step.Step[int, int] {
			return step.Do(func(context.Context, int) error { <-left; return nil })
		},
		"act": func(left chan struct{}) step.Step[int, int] {
			act := step.Act(func(context.Context) error { <-left; return nil })
			return flow.Then(step.Map(func(int) step.Unit { return step.Unit{} }), flow.Then(act, step.Map(func(step.Unit) int { return 0 })))
		},
		"awaitchan": func(left chan struct{}) step.Step[int, int] {
			return flow.AwaitChan(func(context.Context, int) <-chan int { <-left; return nil })
		},
		"call": func(left chan struct{}) step.Step[int, int] {
			return flow.Named("call", flow.Call(step.Await(func(_ context.Context, n int) (int, error) { <-left; return n, nil })))
		},
	} {
		t.Run(kind, func(t *testing.T) { testLeftBody(t, body) })
	}
}

func testLeftBody(t *testing.T, body func(left chan struct{}) step.Step[int, int]) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		left := make(chan struct{})
		pause := flow.Named("pause", step.Delay[int](time.Hour))
		handler := func(as step.Scope, _ error) step.Next[int] { return step.Into(as, pause, 1) }
		behind := flow.Then(step.Map(func(n int) int { return n }), body(left)) // so that its path isn't the one of pause
		plan := flow.Catch(flow.Timeout(time.Second, flow.Grace(time.Millisecond, behind)), handler)
		w := durable.New("parts", plan, durable.SearchAttribute("stands"))
		f := openFile(t, path, sqlite.Options{OnError: func(error) {}}, w) // which gets the report of the body that was left
		run, err := w.Start(t.Context(), f.Engine(), "a", 0)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if place, err := run.Place(t.Context()); place != "0/0 pause\n" || err != nil {
			t.Errorf("it stands at %q, %v", place, err)
		}
		if info, err := f.Operator().Run(t.Context(), "a"); info.Attribute != "pause" || err != nil {
			t.Errorf("the attribute is %q, %v", info.Attribute, err)
		}
		close(left)
		closeFile(t, f)
	})
}

// A part of the plan in flow.On has waited since it began to wait, and not since the beginning of the run.
func TestPictureInsideOfOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		loops := tool.NewGroup(1, tool.Options{})
		w := durable.New("parts", flow.Then(step.Delay[int](time.Hour), flow.On(loops, flow.Named("slow", step.Delay[int](time.Hour)))))
		f := openFile(t, path, sqlite.Options{}, w)
		run, err := w.Start(t.Context(), f.Engine(), "a", 0)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour + time.Minute)
		synctest.Wait()
		if picture, err := run.Picture(t.Context()); strings.Count(picture, "for 1m0") != 2 || err != nil {
			t.Errorf("%v\n%s", err, picture)
		}
		closeFile(t, f)
		if err = loops.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A run that a step starts, but isn't a part of the plan, has other paths.
func TestPlaceOfAwaitRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	synctest.Test(t, func(t *testing.T) {
		left := make(chan struct{})
		body := flow.Named("body", step.Await(func(_ context.Context, n int) (int, error) { <-left; return n, nil }))
		other := flow.Par(body, flow.Named("pause", step.Delay[int](time.Hour)))
		starts := step.New(func(as step.Scope, n int) step.Next[[]int] {
			return step.Into(as, flow.AwaitRun(func(ctx context.Context, n int) *flow.Running[[]int] { return flow.Start(ctx, as.Loop(), other, n) }), n)
		})
		w := durable.New("parts", starts, durable.Also("other", other))
		f := openFile(t, path, sqlite.Options{}, w)
		run, err := w.Start(t.Context(), f.Engine(), "a", 0)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if place, err := run.Place(t.Context()); !strings.HasPrefix(place, "0/0 ") || strings.Count(place, "\n") != 1 || err != nil {
			t.Errorf("it stands at %q, %v", place, err)
		}
		close(left)
		if _, err = run.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		closeFile(t, f)
	})
}
