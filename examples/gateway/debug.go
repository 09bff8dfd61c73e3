package main

import (
	"fmt"
	"net/http"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/tool"
)

// debugPath is where the pages of live runs are.
const debugPath = "/debug/asyncsteps/"

// newDebug makes the pages that show the live runs of a gateway, what keeps them
// waiting, and whether its loops keep up.
func newDebug(g guards, loops *tool.Group) *debug.Handler {
	d := debug.New(debug.Options{})
	d.Guard("door", g.door)
	for _, name := range parts {
		d.Guard("calls to "+name, g.calls[name])
	}
	for i, l := range loops.Loops() {
		d.Loop(fmt.Sprintf("loop %d", i), l)
	}
	return d
}

// serveDebug serves the pages at an address of their own: they are for those who
// run the gateway, not for its clients.
func serveDebug(addr string, d *debug.Handler) (*server, error) {
	mux := http.NewServeMux()
	mux.Handle(debugPath, d)
	return serve(addr, mux)
}
