package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestStatus(t *testing.T) {
	refused := fault.Wrap(syncx.CircuitOpen, "", &syncx.Refusal{Breaker: "b", State: syncx.Open, After: 1500 * time.Millisecond})
	_, cancelled := flow.Run(ended(), step.Map(func(in int) int { return in }), 1)
	secondary := fault.New(fault.ConnectError, "")
	secondary.Secondary = []error{fault.Timeout, httpx.WithStatus(418, nil)}
	for _, tt := range []struct {
		reason string
		err    error
		status int
		after  string
	}{
		{"nil", nil, 200, "-"},
		{"a Go error", io.EOF, 500, ""},
		{"a code of the program", fault.New("NoItem", ""), 500, ""},
		{"an invalid request", fault.New(fault.InvalidRequest, ""), 400, ""},
		{"a full queue", fault.New(fault.DefenseRejected, ""), 429, "1"},
		{"an open breaker", refused, 503, "2"},
		{"a breaker that stays open", fault.Wrap(syncx.CircuitOpen, "", &syncx.Refusal{State: syncx.Open, After: math.MaxInt64}), 503, "9223372037"},
		{"a limit", fault.New(fault.Timeout, ""), 504, ""},
		{"the deadline of a context", context.DeadlineExceeded, 504, ""},
		{"a cancelled run", cancelled, 503, "1"},
		{"a loop that shuts down", fmt.Errorf("no: %w", tool.ErrShutdown), 503, "1"},
		{"a run that a shutdown has cancelled", fault.Wrap(fault.Cancelled, "", errors.Join(tool.ErrShutdown, context.Canceled)), 503, "1"},
		{"a server behind", &httpx.StatusError{Status: 404}, 502, ""},
		{"secondary errors don't count", secondary, 502, ""},
		{"a status of the program's", fmt.Errorf("no: %w", httpx.WithStatus(410, fault.Timeout)), 410, ""},
		{"a status that is no error's", httpx.WithStatus(200, io.EOF), 500, ""},
		{"an error that wraps itself", looped{}, 500, ""},
	} {
		if got := httpx.Status(tt.err); got != tt.status {
			t.Errorf("%s: %d, want %d", tt.reason, got, tt.status)
		}
		w := httptest.NewRecorder()
		httpx.WriteError(w, nil, tt.err)
		want := tt.status
		if tt.err == nil {
			want, tt.after = 500, ""
		}
		if w.Code != want || w.Header().Get("Retry-After") != tt.after {
			t.Errorf("%s: answered with %d, Retry-After %q", tt.reason, w.Code, w.Header().Get("Retry-After"))
		}
	}
}

func TestWithStatusKeepsItsError(t *testing.T) {
	err := httpx.WithStatus(409, io.EOF)
	if !errors.Is(err, io.EOF) || err.Error() != "EOF" {
		t.Error(err)
	}
	if err := httpx.WithStatus(409, nil); err.Error() != "Conflict" {
		t.Error(err)
	}
	if err := httpx.WithStatus(99, io.EOF); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

type looped struct{}

func (looped) Error() string { return "looped" }

func (looped) Unwrap() error { return looped{} }

func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
