package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

//go:embed data/requests.jsonl
var requestData []byte

// parts are the backends, in the order of the page.
var parts = []string{"price", "stock", "reviews"}

// maxWait keeps the wait for a backend far below slowness.
const maxWait = 10 * time.Second

// options are the settings of the command line.
type options struct {
	addr      string
	backends  map[string]*url.URL // the backends given; the others run in this process
	exchanges []exchange
	bursts    []burst
	workers   int
	wait      time.Duration
	serve     bool
	debug     string // address of the pages of live runs; "" for nowhere
	control   bool   // people can cancel requests on these pages
}

func parseOptions(args []string, usage io.Writer) (options, error) {
	o := options{backends: make(map[string]*url.URL)}
	f := flag.NewFlagSet("gateway", flag.ContinueOnError)
	f.SetOutput(io.Discard) // run prints the error
	f.StringVar(&o.addr, "addr", "127.0.0.1:0", "listen at this `address`; port 0 is any free one")
	f.Func("backend", "use a backend elsewhere, as in price=`URL`; the names are price, stock and reviews", o.addBackend)
	file := f.String("data", "", "replay the requests of this `file` instead of data/requests.jsonl, and no bursts")
	f.IntVar(&o.workers, "workers", 16, "send this many requests at a time")
	f.DurationVar(&o.wait, "timeout", time.Second, "wait this long for each backend")
	f.BoolVar(&o.serve, "serve", false, "after the replay, serve until Ctrl-C")
	f.StringVar(&o.debug, "debug", "127.0.0.1:0", "with -serve, show the live runs at this `address`; empty is nowhere")
	f.BoolVar(&o.control, "control", false, "with -serve, let those who see the live runs cancel them")
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		f.SetOutput(usage)
		f.Usage()
	}
	switch {
	case err != nil:
		return o, err
	case f.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	case o.workers < 1 || o.workers > maxCalls:
		return o, fmt.Errorf("-workers %d: it has to be 1 to %d, or they would wait for each other", o.workers, maxCalls)
	case o.wait <= 0 || o.wait > maxWait:
		return o, fmt.Errorf("-timeout %v: it has to be above 0 and at most %v", o.wait, maxWait)
	case *file == "":
		o.bursts = bursts
	}
	if !o.serve {
		o.debug = ""
	}
	o.exchanges, err = readExchanges(*file)
	return o, err
}

func (o options) requests() int {
	n := len(o.exchanges)
	for _, b := range o.bursts {
		n += b.size()
	}
	return n
}

func (o options) addBackend(arg string) error {
	name, at, _ := strings.Cut(arg, "=")
	if !slices.Contains(parts, name) {
		return fmt.Errorf("there is no backend %q", name)
	}
	u, err := url.Parse(at)
	if err != nil {
		return err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%q is no http URL", at)
	}
	o.backends[name] = u
	return nil
}

// readExchanges reads file, or the built-in requests if file is "".
func readExchanges(file string) ([]exchange, error) {
	data := requestData
	if file != "" {
		var err error
		if data, err = os.ReadFile(file); err != nil { //nolint:gosec // the user chose the file
			return nil, err
		}
	}
	exchanges, err := readLines[exchange](data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(exchanges) == 0 {
		return nil, fmt.Errorf("%s: no requests", file)
	}
	return exchanges, nil
}
