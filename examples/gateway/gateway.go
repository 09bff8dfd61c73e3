package main

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/tool"
)

// gateway is the http.Handler that answers each request with a run of the plan.
type gateway struct {
	plan     flow.Plan[*http.Request, []byte]
	loops    *tool.Group
	log      *slog.Logger
	observer observe.Observer // nil if nobody observes the runs
}

// ServeHTTP implements http.Handler. When the client goes away the context of its request ends, which cancels the run and its
// calls to the backends.
func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := observe.With(r.Context(), g.observer)
	if g.observer != nil {
		ctx = observe.WithAttrs(ctx, slog.String("path", r.URL.Path), slog.String("client", r.RemoteAddr))
	}
	run := flow.Start(ctx, g.loops.Next(), g.plan, r)
	<-run.Done() // also of a cancelled run: r must not be used after the return
	answer, err := run.Result()
	status := http.StatusOK
	if err != nil {
		status, answer = refusal(err)
	}
	if status >= http.StatusInternalServerError && r.Context().Err() == nil {
		g.log.Error("request failed", "path", r.URL.Path, "error", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(answer, '\n')) //nolint:gosec // JSON, no page; a client that has gone misses nothing
}

// statuses maps error codes to HTTP statuses. For others see refusal.
var statuses = map[fault.Code]int{
	fault.InvalidRequest:  http.StatusBadRequest,
	notFound:              http.StatusNotFound,
	notAllowed:            http.StatusMethodNotAllowed,
	fault.DefenseRejected: http.StatusTooManyRequests,    // at the door
	fault.Cancelled:       http.StatusServiceUnavailable, // nobody reads it: the client has gone
	fault.Timeout:         http.StatusGatewayTimeout,
}

// Refused is the body of an answer that isn't a page.
type Refused struct {
	Error struct {
		Code fault.Code `json:"code"`
		Info string     `json:"info,omitempty"`
	} `json:"error"`
}

// refusal returns the answer to a request whose run has failed. It explains only errors that the client can do something about.
func refusal(err error) (status int, body []byte) {
	code := fault.CodeOf(err)
	status, known := statuses[code]
	switch {
	case errors.Is(err, tool.ErrShutdown):
		status = http.StatusServiceUnavailable
	case !known:
		status = http.StatusInternalServerError
	}
	info := ""
	if status < http.StatusInternalServerError {
		info = fault.InfoOf(err)
	}
	var refused Refused
	refused.Error.Code, refused.Error.Info = code, info
	body, err = json.Marshal(refused)
	if err != nil {
		return http.StatusInternalServerError, nil
	}
	return status, body
}
