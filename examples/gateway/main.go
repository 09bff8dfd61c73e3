// Gateway is an HTTP API gateway in front of three backends, each request a run
// of a plan. It shows what this module is for.
//
//	go run ./examples/gateway
//
// starts three backends and the gateway on loopback, replays the requests of
// data/requests.jsonl through a real client, compares each answer with the one
// in that file, and prints a table. For some products a backend fails
// (data/products.jsonl says which): then the page has a fallback in place of
// the missing part, and names the reason. Bursts of requests follow, each to a
// gateway with tight limits of its own (bursts.go).
//
//	go run ./examples/gateway -serve
//
// stays up afterwards, for curl. Ctrl-C ends it, after the requests in flight; a second Ctrl-C ends it immediately. Web pages
// show each live request: its current step, what it waits for, and who is inside of which limit (debug.go). Their address,
// which is printed, is on loopback unless -debug gives another. Read plan.go first.
//
// The exit status is 0 if every request got the expected answer, 1 if one did
// not or was never sent, 2 if the gateway could not do its work.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const (
	exitExpected = 0
	exitOther    = 1
	exitBroken   = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal has its usual effect
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole program: the table goes to stdout, everything else to stderr. When ctx ends, it stops sending, and
// requests in flight are finished.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (status int) {
	expected, err := work(ctx, args, stdout, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitExpected
	case err != nil:
		fmt.Fprintln(stderr, "gateway:", err)
		return exitBroken
	case !expected:
		return exitOther
	default:
		return exitExpected
	}
}

// work reports whether every request got the expected answer.
func work(ctx context.Context, args []string, stdout, stderr io.Writer) (expected bool, err error) {
	o, err := parseOptions(args, stderr)
	if err != nil {
		return false, err
	}
	known, err := newShop(productData)
	if err != nil {
		return false, err
	}
	s, err := startSystem(setup{
		addr: o.addr, debug: o.debug, control: o.control, elsewhere: o.backends, local: known.backends(), limits: wide(o.wait),
	}, stderr)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, s.shutdown()) }()
	fmt.Fprintln(stderr, s)

	r, err := s.replay(ctx, o, known, stderr)
	r.print(stdout)
	if o.serve && err == nil && ctx.Err() == nil {
		fmt.Fprintf(stderr, "serving until Ctrl-C; try:\n  curl '%s/products/KB-1001?quantity=2'\n", s.url)
		<-ctx.Done()
	}
	return r.expected(), err
}
