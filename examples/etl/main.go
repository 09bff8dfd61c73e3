// Command etl prices a large file of orders: it generates the file, parses it, looks prices up on all
// processors, adds up by country, and writes the result, with a progress bar and a file of dead letters.
//
//	go run . -size 200
//
// On Ctrl-C it stops early, and prints what it has done.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/futoin-go/asyncsteps/stream"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	dir := flag.String("dir", os.TempDir(), "the folder for the files")
	size := flag.Int64("size", 200, "the size of the orders, in MB")
	flag.Parse()
	bytes, err := options(*size, flag.Args())
	if err == nil {
		err = command(ctx, os.Stdout, os.Stderr, *dir, bytes)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// options returns the size of the orders in bytes.
func options(megabytes int64, args []string) (size int64, err error) {
	switch {
	case len(args) > 0:
		return 0, fmt.Errorf("unexpected argument %q", args[0])
	case megabytes < 1 || megabytes > math.MaxInt64>>20:
		return 0, fmt.Errorf("-size %d: it has to be 1 to %d", megabytes, int64(math.MaxInt64)>>20)
	}
	return megabytes << 20, nil
}

// command generates the orders and prices them; the bar goes to terminal.
func command(ctx context.Context, out, terminal io.Writer, dir string, size int64) (err error) {
	var opened [3]*os.File
	for i, name := range []string{"orders.csv", "priced.csv", "dead.csv"} {
		if opened[i], err = os.Create(filepath.Join(dir, name)); err != nil { //nolint:gosec // the user names the folder
			return err
		}
		defer func() { err = errors.Join(err, opened[i].Close()) }()
	}
	fmt.Fprintln(terminal, "generating")
	if size, err = generate(ctx, opened[0], size); err != nil {
		fmt.Fprintf(out, "%.1f MB of orders generated, none read\n", float64(size)/1e6)
		return err
	}
	if _, err = opened[0].Seek(0, io.SeekStart); err != nil {
		return err
	}
	bar := progressbar.NewOptions64(size, progressbar.OptionSetWriter(terminal), progressbar.OptionShowBytes(true),
		progressbar.OptionSetDescription("pricing"), progressbar.OptionThrottle(100*time.Millisecond))
	began := time.Now()
	r, err := etl(ctx, files{io.TeeReader(opened[0], bar), opened[1], opened[2]}, new(stream.Progress))
	fmt.Fprintln(terminal)
	took := time.Since(began)
	fmt.Fprintf(out, "%d orders read, %d priced, %d dead, %d left over; %.0f MB/s\n", r.Counts.In, r.Counts.Out,
		r.Counts.Dead, r.Counts.Lost, float64(r.Bytes)/1e6/took.Seconds())
	for _, country := range slices.Sorted(maps.Keys(r.Totals)) {
		fmt.Fprintf(out, "%-10s %14.2f\n", country, float64(r.Totals[country])/100)
	}
	return err
}
