package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// patience is how long a shutdown waits for requests in flight, in addition to the limit for a part of the page.
const patience = 5 * time.Second

// setup describes a system to start.
type setup struct {
	addr      string
	debug     string                  // where to show the live runs; "" for nowhere
	control   bool                    // people can cancel the live runs there
	elsewhere map[string]*url.URL     // backends that are running already
	local     map[string]http.Handler // handlers for the other backends
	limits    limits
}

// system is everything that runs: the gateway, its loops, and backends in this process.
type system struct {
	url      string
	at       map[string]*url.URL // the backends
	wait     time.Duration       // limit for a part of the page, see limits
	gateway  *server
	debug    *server      // nil if the runs aren't shown
	client   *http.Client // of the backends
	loops    *tool.Group
	backends []*server
}

func startSystem(u setup, log io.Writer) (*system, error) {
	s := &system{wait: u.limits.wait, at: make(map[string]*url.URL), client: newClient(maxCalls), loops: tool.NewGroup(0, tool.Options{})}
	if err := s.start(u, log); err != nil {
		return nil, errors.Join(err, s.shutdown())
	}
	return s, nil
}

func (s *system) start(u setup, log io.Writer) error {
	for _, name := range parts {
		if at, elsewhere := u.elsewhere[name]; elsewhere {
			s.at[name] = at
			continue
		}
		b, err := serve("127.0.0.1:0", u.local[name])
		if err != nil {
			return err
		}
		s.backends = append(s.backends, b)
		s.at[name] = b.url.JoinPath(name)
	}
	guards := u.limits.guards()
	g := &gateway{
		plan:  newPlan(newBackends(s.client, s.at), guards),
		loops: s.loops, log: slog.New(slog.NewTextHandler(log, nil)),
	}
	err := g.plan.Err()
	if err != nil {
		return err
	}
	if u.debug != "" {
		d := newDebug(guards, s.loops, u.control)
		g.observer = d
		if s.debug, err = serveDebug(u.debug, d); err != nil {
			return err
		}
	}
	if s.gateway, err = serve(u.addr, g); err != nil {
		return err
	}
	s.url = s.gateway.url.String()
	return nil
}

func (s *system) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "gateway %s", s.url)
	for _, name := range parts {
		fmt.Fprintf(&b, "\n  %-8s %s", name, s.at[name])
	}
	if s.debug != nil {
		fmt.Fprintf(&b, "\nlive requests %s%s", s.debug.url, debugPath)
	}
	return b.String()
}

// shutdown ends everything from the outside inwards: the gateway takes no more requests and finishes those in flight, then the
// pages of live runs and the loops end, then the backends.
func (s *system) shutdown() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.wait+patience)
	defer cancel()
	err := errors.Join(s.gateway.shutdown(ctx), s.debug.shutdown(ctx), s.loops.Shutdown(ctx))
	s.client.CloseIdleConnections()
	for _, b := range s.backends {
		err = errors.Join(err, b.shutdown(ctx))
	}
	return err
}
