// Command orders takes an order through approval, payment and shipping. The plan is in plan.go.
//
// It survives a crash: end it in the middle, start it again, and the order continues where it stopped. Without a flag it keeps
// orders in the file orders.db:
//
//	go run .
//
// With -temporal it keeps them on a Temporal server:
//
//	temporal server start-dev
//	go run . -temporal localhost:7233
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/durable/temporal"
)

func main() {
	file := flag.String("file", "orders.db", "where orders are kept")
	server := flag.String("temporal", "", "address of a Temporal server, which keeps orders in place of the file")
	id := flag.String("id", "order-17", "id of the order: an id stands for one order for ever")
	item := flag.String("item", "teapot", "what is ordered")
	cents := flag.Int("cents", 25_000, "what it costs; from 10000 on a human has to approve, from 100001 on the card is declined")
	reject := flag.Bool("reject", false, "the human says no")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := options(*id, *item, *cents, flag.Args())
	if err == nil {
		err = command(ctx, *file, *server, *id, Order{*item, *cents}, Approval{"Ann", !*reject})
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// options returns an error for a command line that isn't a valid order.
func options(id, item string, cents int, args []string) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("unexpected argument %q", args[0])
	case id == "":
		return errors.New("-id: an order has one")
	case item == "":
		return errors.New("-item: something has to be ordered")
	case cents < 1:
		return fmt.Errorf("-cents %d: it has to be 1 or more", cents)
	}
	return nil
}

func command(ctx context.Context, file, server, id string, o Order, a Approval) error {
	engine, end, err := open(ctx, file, server)
	if err != nil {
		return err
	}
	defer end()
	return serve(ctx, engine, id, o, a)
}

// open opens the file, or connects to the server and starts a worker for it. The returned function closes what open has opened.
func open(ctx context.Context, file, server string) (durable.Engine, func(), error) {
	if server != "" {
		return connect(server)
	}
	f, err := sqlite.Open(ctx, file, sqlite.Options{}, orders)
	if err != nil {
		return durable.Engine{}, nil, err
	}
	return f.Engine(), func() {
		soon, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := f.Close(soon); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}, nil
}

func connect(server string) (durable.Engine, func(), error) {
	c, err := client.Dial(client.Options{HostPort: server, Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))})
	if err != nil {
		return durable.Engine{}, nil, err
	}
	w := worker.New(c, "orders", worker.Options{})
	if err = temporal.Of(orders).Register(w); err == nil {
		err = w.Start()
	}
	if err != nil {
		c.Close()
		return durable.Engine{}, nil, err
	}
	return temporal.Engine(c, "orders"), func() { w.Stop(); c.Close() }, nil
}

// serve places the order, unless it has been placed before, sends the approval if the order is expensive, and waits for the parcel.
func serve(ctx context.Context, on durable.Engine, id string, o Order, a Approval) error {
	run, err := orders.Start(ctx, on, id, o)
	if err != nil {
		return err
	}
	if o.Cents >= 10_000 {
		// If the order doesn't wait for the approval yet, the engine keeps the signal.
		if err = durable.Send(ctx, run, "approval", a); err != nil {
			fmt.Fprintln(os.Stdout, "the approval isn't needed any more:", err)
		}
	}
	parcel, err := run.Wait(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, parcel)
	return nil
}
