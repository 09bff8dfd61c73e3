package httpx

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Serve listens at the address of server, answers requests until ctx ends, and then stops gently: it takes no more requests, waits
// for those at work as long as patience lasts, and closes the connections that are left. It returns when that is done. With a
// server.TLSConfig it serves HTTPS, with the certificates of the TLSConfig.
//
//	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
//	defer stop()
//	err := httpx.Serve(ctx, &http.Server{Addr: ":8080", Handler: mux}, 20*time.Second)
//
// Errors: nil if ctx has ended and each request was answered; fault.Timeout if patience was over before each was answered; the
// error of the listener if it can't be opened or breaks; fault.Cancelled with http.ErrServerClosed as its cause if somebody else
// has shut the server down, even before the call: an http.Server can't be served again. Requests are waited for in each case,
// unless server.Close has cut them off. A new connection counts as a request for up to five seconds, as in http.Server.Shutdown.
// Connections that a handler has hijacked are neither waited for nor closed. A nil ctx or server and a patience below 0 are
// fault.InvalidRequest.
//
// The end of ctx cancels no request, unless server.BaseContext derives from ctx. When patience is over, Serve closes the
// connections, and doesn't wait for handlers that are still at work. The close ends the context of a request whose handler has read
// the body. To answer new requests with 503 while older work ends, give Serve a context that you end last, and shut down the loops
// of handlers made by [HandlerOn]. In a plan Serve is the body of a step.Act; put a flow.Grace around it that is longer than
// patience.
func Serve(ctx context.Context, server *http.Server, patience time.Duration) error {
	if err := servable(ctx, server, patience); err != nil {
		return err
	}
	secure, ended := servedSecurely(server)
	defer ended()
	port := ":http"
	if secure {
		port = ":https"
	}
	// The end of ctx isn't an error, so it doesn't end the search for the address either.
	l, err := new(net.ListenConfig).Listen(context.WithoutCancel(ctx), "tcp", cmp.Or(server.Addr, port))
	if err != nil {
		return err
	}
	return ServeOn(ctx, l, server, patience)
}

// ServeOn is [Serve] with a listener that is open already, so that the caller knows its address. It closes l. A nil l is
// fault.InvalidRequest as well. Several calls may serve one server at the same time, each with a listener of its own.
func ServeOn(ctx context.Context, l net.Listener, server *http.Server, patience time.Duration) error {
	if l == nil {
		return fault.New(fault.InvalidRequest, "httpx: the listener is nil")
	}
	defer func() { _ = l.Close() }() // ServeTLS leaves it open without a certificate
	if err := servable(ctx, server, patience); err != nil {
		return err
	}
	secure, left := servedSecurely(server)
	defer left()
	ended := make(chan error, 1)
	unlinked := context.AfterFunc(ctx, func() { ended <- shutdown(ctx, server, patience) })
	defer unlinked()
	var err error
	if secure {
		err = server.ServeTLS(l, "", "")
	} else {
		err = server.Serve(l)
	}
	if unlinked() { // ctx hasn't ended, or ends right now
		switch closed := errors.Is(err, http.ErrServerClosed); {
		case closed && ctx.Err() != nil: // another call was told of the end of ctx first
			err = nil
		case closed:
			err = fault.Wrap(fault.Cancelled, "httpx: somebody else has shut the server down, maybe before it was to serve", err)
		}
		return errors.Join(err, shutdown(ctx, server, patience))
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, <-ended)
}

// served holds the servers that calls of Serve and ServeOn serve.
var served struct {
	sync.Mutex

	servers map[*http.Server]*serving // nil until the first call
}

// serving holds how many calls serve a server, and whether they serve HTTPS.
type serving struct {
	calls  int
	secure bool
}

// servedSecurely reports whether server had a TLSConfig before it was served: http.Server.Serve makes one of its own. The caller
// calls end when it doesn't serve the server any more.
func servedSecurely(server *http.Server) (secure bool, end func()) {
	served.Lock()
	defer served.Unlock()
	s := served.servers[server]
	if s == nil {
		s = &serving{secure: server.TLSConfig != nil}
		if served.servers == nil {
			served.servers = map[*http.Server]*serving{}
		}
		served.servers[server] = s
	}
	s.calls++
	return s.secure, func() {
		served.Lock()
		defer served.Unlock()
		if s.calls--; s.calls == 0 {
			delete(served.servers, server)
		}
	}
}

func servable(ctx context.Context, server *http.Server, patience time.Duration) error {
	switch {
	case ctx == nil:
		return fault.New(fault.InvalidRequest, "httpx: the context is nil")
	case server == nil:
		return fault.New(fault.InvalidRequest, "httpx: the server is nil")
	case patience < 0:
		return fault.New(fault.InvalidRequest, "httpx: patience is below zero: "+patience.String())
	}
	return nil
}

// shutdown stops the server, even if ctx has ended.
func shutdown(ctx context.Context, server *http.Server, patience time.Duration) error {
	ctx = context.WithoutCancel(ctx)
	var err error
	if patience > 0 {
		_, err = flow.Run(ctx, flow.Timeout(patience, step.Act(server.Shutdown)), step.Unit{})
	} else { // Shutdown closes idle connections even if its context has ended
		ended, cancel := context.WithCancel(ctx)
		cancel()
		err = server.Shutdown(ended)
	}
	if err == nil {
		return nil
	}
	if code := fault.CodeOf(err); code == fault.Timeout || code == fault.Cancelled {
		err = fault.Wrap(fault.Timeout, "httpx: requests were at work, or connections new, after "+patience.String(), err)
	}
	return errors.Join(err, server.Close())
}
