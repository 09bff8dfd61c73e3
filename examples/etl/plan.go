package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/stream"
)

// files are the files that a run reads and writes.
type files struct {
	orders io.Reader // a line of CSV for each order
	priced io.Writer // the same with prices
	dead   io.Writer // lines that aren't orders, and lines left over at the end of the run
}

// report is the result of a run: what it has done.
type report struct {
	Counts stream.Counts
	Bytes  int64
	Totals totals
}

// etl reads orders, prices them on all processors, adds them up by country and writes them. progress may be read while it runs.
// If ctx ends the run early, the report agrees with what was written.
func etl(ctx context.Context, f files, progress *stream.Progress) (report, error) {
	r := report{Totals: totals{}}
	dead := bufio.NewWriter(f.dead)
	err := run(ctx, f, &r, dead, progress)
	r.Counts = progress.Counts()
	if flushed := dead.Flush(); err == nil {
		err = flushed
	}
	return r, err
}

func run(ctx context.Context, f files, r *report, dead io.Writer, progress *stream.Progress) error {
	lines := stream.Input(func(f files) io.Reader { return f.orders }, stream.Lines[io.Reader](ahead))
	priced := stream.Await(lines, stream.Bound{Limit: runtime.GOMAXPROCS(0), Buffer: ahead}, price)
	good := stream.Catch(priced, func(letter *stream.Letter[string]) error {
		_, err := fmt.Fprintf(dead, "%q,%q\n", letter.Element, letter.Err)
		return err
	})
	text := stream.Map(stream.Measure(good, progress), func(o order) []byte {
		r.Totals[o.country] += o.cents
		r.Bytes += int64(len(o.text))
		return o.text
	})
	_, err := flow.Run(ctx, stream.Write(text, ahead, func(f files) io.Writer { return f.priced }), f)
	return err
}

// ahead is how many lines may wait in a stage.
const ahead = 256
