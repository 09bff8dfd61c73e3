package main

import (
	"context"
	"expvar"
	"io"
	"net/http"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/observe"
)

// metrics counts how runs end: "quote ok", "quote Timeout". With Prometheus or OpenTelemetry, use package observe/prometheus or
// observe/otel in its place.
type metrics struct{ ended expvar.Map }

// Start implements observe.Observer.
func (m *metrics) Start(ctx context.Context, run observe.Run) (context.Context, observe.Watch) {
	plan := run.Name()
	return ctx, func(e observe.Event) {
		switch {
		case e.Kind != observe.RunEnd:
		case e.Err == nil:
			m.ended.Add(plan+" ok", 1)
		default:
			m.ended.Add(plan+" "+string(fault.CodeOf(e.Err)), 1)
		}
	}
}

// ServeHTTP implements http.Handler. It writes the counters as JSON.
func (m *metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, m.ended.String()) // nothing to do if the client has gone
}
