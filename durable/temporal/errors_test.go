package temporal_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The errors are joined, wrapped and passed through a child workflow. The code is that of the first, and all that have names are found.
func TestJoinedErrors(t *testing.T) {
	first, coded := fault.New("First", "in"), fault.New("Coded", "of a named error")
	broken := step.Await(func(context.Context, int) (int, error) {
		return 0, errors.Join(first, fmt.Errorf("outer: %w", fmt.Errorf("inner: %w", coded)), errDeclined)
	})
	w := durable.New("broken", flow.Named("child", flow.Call(broken)), durable.Errors(map[string]error{"coded": coded, "declined": errDeclined}))
	_, err := durabletest.Run(w, 0)
	if fault.CodeOf(err) != "First" || fault.InfoOf(err) != "in" {
		t.Errorf("the code is %q, the info %q", fault.CodeOf(err), fault.InfoOf(err))
	}
	if !errors.Is(err, coded) || !errors.Is(err, errDeclined) {
		t.Errorf("the errors with names aren't found in %v", err)
	}
}

// Common errors pass from a body to its plan, and from a run to those who wait for it.
func TestCommonErrors(t *testing.T) {
	_, noFile := os.Open(filepath.Join(t.TempDir(), "none"))
	for _, c := range []struct{ given, want error }{
		{context.Canceled, context.Canceled},
		{context.DeadlineExceeded, context.DeadlineExceeded},
		{fault.New(fault.Timeout, ""), context.DeadlineExceeded},
		{errors.ErrUnsupported, errors.ErrUnsupported},
		{io.EOF, io.EOF},
		{io.ErrUnexpectedEOF, io.ErrUnexpectedEOF},
		{io.ErrClosedPipe, io.ErrClosedPipe},
		{noFile, os.ErrNotExist},
		{noFile, fs.ErrNotExist},
		{os.ErrExist, os.ErrExist},
		{os.ErrPermission, os.ErrPermission},
		{os.ErrDeadlineExceeded, os.ErrDeadlineExceeded},
		{fmt.Errorf("order 7: %w", sql.ErrNoRows), sql.ErrNoRows},
		{&net.OpError{Op: "read", Err: net.ErrClosed}, net.ErrClosed},
		{durable.ErrNoRun, durable.ErrNoRun},
	} {
		var met error
		body := step.Await(func(context.Context, int) (int, error) { return 0, fmt.Errorf("outer: %w", c.given) })
		_, err := durabletest.Run(durable.New("fails", flow.Catch(body, func(_ step.Scope, err error) step.Next[int] {
			met = err
			return step.Fail[int](fmt.Errorf("again: %w", err))
		})), 0)
		for where, err := range map[string]error{"the plan": met, "the caller": err} {
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.given.Error()) {
				t.Errorf("%v: %s gets %v, which isn't %v", c.given, where, err, c.want)
			}
			if others := errors.Is(err, io.ErrNoProgress) || errors.Is(err, durable.ErrUnstorable); others {
				t.Errorf("%v: %s gets %v, which is another one as well", c.given, where, err)
			}
		}
	}
}

func TestAdviceOfErrors(t *testing.T) {
	enginetest.Advice(t, func(w *durable.Workflow[int, int]) (int, error) { return durabletest.Run(w, 0) })
}

// The error tells what has failed while the run was undone.
func TestErrorOfACancelledRun(t *testing.T) {
	undo := step.Await(func(context.Context, int) (int, error) { return 0, errDeclined })
	done := flow.Undo(step.Map(func(n int) int { return n }), undo)
	w := durable.New("undone", flow.Saga(flow.Then(done, step.Delay[int](time.Hour))), durable.Errors(map[string]error{"declined": errDeclined}))
	_, err := durabletest.Run(w, 0, func(e *testsuite.TestWorkflowEnvironment) { e.RegisterDelayedCallback(e.CancelWorkflow, time.Minute) })
	if fault.CodeOf(err) != fault.Cancelled || !errors.Is(err, context.Canceled) || !errors.Is(err, errDeclined) {
		t.Errorf("got %v", err)
	}
}

func TestPanicPasses(t *testing.T) {
	w := durable.New("panics", flow.Named("child", flow.Call(step.Await(crash))))
	_, err := durabletest.Run(w, 0)
	p, ok := errors.AsType[*fault.Panic](err)
	if !ok || p.Value != "boom" || !strings.Contains(string(p.Stack), "temporal_test.crash(") {
		t.Errorf("got %v, with %v", err, p)
	}
}

// The error has the words of package flow, and the body isn't called again.
func TestBrokenBody(t *testing.T) {
	for name, body := range map[string]func(context.Context, int) (int, error){
		"panics": crash,
		"leaves": func(context.Context, int) (int, error) { runtime.Goexit(); return 0, nil },
	} {
		calls := 0
		plan := step.Await(func(ctx context.Context, in int) (int, error) {
			calls++
			return body(ctx, in)
		})
		_, err := flow.Run(t.Context(), plan, 0)
		want := fault.InfoOf(err)
		check := func(t *testing.T, err error) {
			t.Helper()
			if !errors.Is(err, fault.InternalError) || fault.InfoOf(err) != want || calls != 1 {
				t.Errorf("%s: got %v after %d calls, want %q", name, err, calls, want)
			}
			calls = 0
		}
		check(t, err)
		w := durable.New(name, plan)
		_, err = durabletest.Run(w, 0)
		check(t, err)
		enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
			run, err := w.Start(t.Context(), on, name, 1)
			if err != nil {
				t.Fatal(err)
			}
			_, err = run.Wait(t.Context())
			check(t, err)
		})
	}
}

func crash(context.Context, int) (int, error) { panic("boom") }
