package explore_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

func shipped() flow.Plan[int, int] {
	again := flow.Catch(ask, func(as step.Scope, err error) step.Next[int] {
		if errors.Is(err, errBusy) {
			return step.Into(as, ask, 1)
		}
		return step.Fail[int](err)
	})
	return flow.Named("ship", flow.Timeout(time.Second, flow.Chain(again, ask)))
}

var shipping = []taken{{time.Millisecond, errBusy}, {after: 2 * time.Millisecond}, {after: time.Minute}}

// The record in an error can be followed, unless it lacks the beginning of the run.
func TestFromError(t *testing.T) {
	for _, kept := range []int{100, 11} {
		var failed error
		recorded(t, 1000, shipping, func(ctx context.Context, loop tool.Tool) {
			flow.Start(observe.With(ctx, observe.Flight(kept)), loop, shipped(), 1).Then(func(_ int, err error) { failed = err })
		})
		r := explore.Follow(explore.FromError(fmt.Errorf("order 7: %w", failed)), running(shipped(), nil))
		if kept == 11 {
			if !errors.Is(r.Departed, explore.ErrIncident) {
				t.Errorf("a record without its beginning: %v", r.Departed)
			}
			continue
		}
		if r.Departed != nil || !errors.Is(r.Err, fault.Timeout) || r.Short == nil {
			t.Errorf("%v, %v, %v", r.Departed, r.Err, r.Short)
		}
	}
}

func TestFromErrorWithProgressOnly(t *testing.T) {
	failed := &fault.Error{Code: "Bad", Record: []fault.Event{{What: observe.Progress.String()}}}
	r := explore.Follow(explore.FromError(failed), running(shipped(), nil))
	if !errors.Is(r.Departed, explore.ErrIncident) {
		t.Errorf("got %v", r.Departed)
	}
}

// What the console shows can be followed, as a page and in a flight record, with the errors that the plan looks for.
func TestFromConsole(t *testing.T) {
	d := debug.New(debug.Options{})
	var id uint64
	numbered := observe.Func(func(ctx context.Context, run observe.Run) (context.Context, observe.Watch) {
		id = run.ID
		return ctx, nil
	})
	recorded(t, 1000, shipping, func(ctx context.Context, loop tool.Tool) {
		flow.Start(observe.With(observe.With(ctx, d), numbered), loop, shipped(), 1)
	})
	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprint("http://localhost/run.json?id=", id), nil))
	page := w.Body.Bytes()
	var flight bytes.Buffer
	z := zip.NewWriter(&flight)
	if f, err := z.Create("run.json"); err != nil {
		t.Fatal(err)
	} else if _, err = f.Write(page); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{"page": page, "flight record": flight.Bytes()} {
		in := explore.FromConsole(file)
		r := explore.Follow(in.Errors(errBusy), running(shipped(), nil))
		if r.Departed != nil || !errors.Is(r.Err, fault.Timeout) || r.Short == nil {
			t.Errorf("%s: %v, %v, %v", name, r.Departed, r.Err, r.Short)
		}
		if r := explore.Follow(in, running(shipped(), nil)); !errors.Is(r.Departed, explore.ErrDeparted) {
			t.Errorf("%s: without the value of the error: %v, %v", name, r.Departed, r.Err)
		}
	}
}
