// Worker delivers the files of a spool folder: it posts each file to a URL, in the order of their names and no faster than allowed.
// It retries a failed call, and looks for new files until it is stopped.
//
//	go run ./examples/worker -spool /var/spool/orders -to http://localhost:8080/orders
//
// A file that was delivered goes to the folder sent in the spool. A file that was refused, or has failed too often, goes to the
// folder dead, with the reason beside it. In both folders a file whose name is taken gets a number. A file that can't be read
// stays where it is. If the server refuses connections, or asks for patience, all files wait where they are. Write a file under a
// name that begins with a dot, then rename it: such names are left alone.
//
// It shows a retry in two loops, and a handler that continues the outer one by its label; a syncx.Throttle; and a stop on
// Ctrl-C that loses nothing: the call under way ends, and its outcome is kept. Read plan.go first.
//
// The exit status is 0 unless the spool can't be used or the arguments are invalid.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
)

func main() {
	stop, reset := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(stop, reset) // the second signal has its usual effect
	o := options{}
	flag.StringVar(&o.spool, "spool", "spool", "the `folder` of the files")
	flag.StringVar(&o.to, "to", "http://localhost:8080/", "the `URL` they are posted to")
	flag.IntVar(&o.rate, "rate", 5, "how many calls there may be in a second")
	flag.IntVar(&o.attempts, "tries", 3, "how many calls there are for a file until it is dead")
	flag.DurationVar(&o.limit, "timeout", 10*time.Second, "how long a call may take")
	flag.DurationVar(&o.poll, "poll", 2*time.Second, "how long to wait for new files")
	flag.DurationVar(&o.patience, "patience", 30*time.Second, "how long to wait if there is nobody to deliver to")
	flag.Parse()
	var err error
	if flag.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flag.Arg(0))
	} else {
		err = run(stop, o, http.DefaultClient, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
}

// run works until stop ends. It prints to out what it does.
func run(stop context.Context, o options, client *http.Client, out io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	s, err := openSpool(o.spool)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	w := &worker{options: o, spool: s, client: client, stop: stop, out: out}
	// The run's context doesn't end: the steps look at stop where nothing is under way.
	_, err = flow.Run(context.Background(), w.plan(), 0)
	fmt.Fprintf(out, "%d sent, %d dead\n", w.sent, w.dead)
	return err
}
