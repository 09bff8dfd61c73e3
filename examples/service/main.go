// Service is a whole HTTP service in a few files: guards, retries, a hedge, a background worker,
// a console, metrics, and a shutdown that waits for the work under way.
//
//	go run ./examples/service
//
// serves on two loopback addresses, which it prints, until Ctrl-C. Its backends are functions of
// the program, and mails are printed. Read plan.go first, then serve.go.
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// errBackend is the error of a backend that fails.
var errBackend = fault.New(fault.CommError, "the backend is out of order")

func main() {
	stop, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(stop, cancel) // the second Ctrl-C ends the program at once
	if err := run(stop); err != nil {
		fmt.Fprintln(os.Stderr, "service:", err)
		os.Exit(1)
	}
}

func run(stop context.Context) error {
	clients, err := new(net.ListenConfig).Listen(stop, "tcp", "localhost:0")
	if err != nil {
		return err
	}
	operators, err := new(net.ListenConfig).Listen(stop, "tcp", "localhost:0")
	if err != nil {
		return err
	}
	fmt.Printf("curl -d '{\"item\":\"teapot\",\"mail\":\"ann@example.com\"}' http://%s/orders\n", clients.Addr())
	fmt.Printf("http://%s/debug/asyncsteps/ and http://%[1]s/metrics\n", operators.Addr())
	return serve(stop, outside{
		clients: clients, operators: operators,
		backends: []backend{stuck, shelf},
		send: func(_ context.Context, o Order) error {
			_, err := fmt.Printf("mail to %s: a %s costs %d\n", o.Mail, o.Item, o.Price)
			return err
		},
		patience: 20 * time.Second,
	})
}

func shelf(_ context.Context, item string) (int, error) {
	if item != "teapot" {
		return 0, fault.New(notFound, "no "+item)
	}
	return 42, nil
}

func stuck(ctx context.Context, _ string) (int, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}
