package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// outside holds the listeners of the service, the services that it calls, and its patience.
type outside struct {
	clients   net.Listener // POST /orders
	operators net.Listener // the console and /metrics
	backends  []backend
	send      func(context.Context, Order) error
	patience  time.Duration // how long a shutdown may take
}

// serve answers requests until stop ends or a listener fails. Then it shuts down in this order: requests, the mails that they
// have caused, loops, the pages of operators.
func serve(stop context.Context, o outside) error {
	door := syncx.NewMutex(100, 1000) // 100 requests inside, 1000 waiting, others are refused
	quote := newQuote(door, o.backends...)
	worker := newWorker(o.send, func(lost Order, err error) { slog.Error("no mail", "to", lost.Mail, "error", err) })
	if err := errors.Join(quote.Err(), worker.Err()); err != nil {
		return err
	}

	loops := tool.NewGroup(0, tool.Options{}) // as many loops as GOMAXPROCS
	console, counts := debug.New(debug.Options{}), new(metrics)
	console.Guard("door", door)
	for i, l := range loops.Loops() {
		console.Loop(fmt.Sprintf("loop %d", i), l)
	}
	// Not derived from stop, whose end would cancel the requests under way.
	base, end := context.WithCancel(context.Background())
	defer end()
	base = observe.With(observe.With(base, console), counts)
	go func() { _ = console.Run(base) }() // histories of guards and loops, until end

	jobs := make(chan Order, 100)
	mail := flow.Start(base, loops.Next(), worker, jobs)

	public, private := http.NewServeMux(), http.NewServeMux()
	public.Handle("POST /orders", &shop{loops: loops, quote: quote, mail: mail, jobs: jobs})
	private.Handle("/debug/asyncsteps/", console)
	private.Handle("GET /metrics", counts)
	clients := &http.Server{
		Handler: public, ReadTimeout: 5 * time.Second,
		BaseContext: func(net.Listener) context.Context { return base }, // runs of requests are observed
	}
	operators := &http.Server{Handler: private, ReadHeaderTimeout: 5 * time.Second}
	operators.RegisterOnShutdown(console.Close) // a live page is a request without an end
	served := make(chan error, 2)
	go func() { served <- clients.Serve(o.clients) }()
	go func() { served <- operators.Serve(o.operators) }()

	var failed error
	select {
	case <-stop.Done():
	case failed = <-served: // a listener is broken
	}
	patience, done := context.WithTimeout(context.Background(), o.patience)
	defer done()
	requests := clients.Shutdown(patience) // waits for the handlers, which Serve doesn't
	if requests == nil {
		close(jobs) // no handler is left that sends
	}
	work := loops.Shutdown(patience) // waits for mails; cancels what is left when patience ends
	pages := operators.Shutdown(patience)
	return errors.Join(failed, requests, work, pages, clients.Close(), operators.Close())
}
