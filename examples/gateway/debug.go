package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/tool"
)

const debugPath = "/debug/asyncsteps/"

// newDebug makes the pages that show the live runs of a gateway, what they wait for, and whether its loops keep up. With
// control, people can cancel requests there.
func newDebug(g guards, loops *tool.Group, control bool) *debug.Handler {
	d := debug.New(debug.Options{Control: control})
	d.Guard("door", g.door)
	for _, name := range parts {
		d.Guard("calls to "+name, g.calls[name])
	}
	for i, l := range loops.Loops() {
		d.Loop(fmt.Sprintf("loop %d", i), l)
	}
	return d
}

// serveDebug serves the pages at their own address: they are for those who run the gateway, not for its clients. Histories are
// kept until the server is shut down, which also ends live updates.
func serveDebug(addr string, d *debug.Handler) (*server, error) {
	mux := http.NewServeMux()
	mux.Handle(debugPath, d)
	s, err := serve(addr, mux)
	if err == nil {
		s.http.RegisterOnShutdown(d.Close)
		go func() { _ = d.Run(context.Background()) }() // until Close
	}
	return s, err
}
