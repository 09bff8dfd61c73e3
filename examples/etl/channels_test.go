package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
)

// channels is etl as one writes it by hand, with channels and a WaitGroup. It doesn't keep the order of lines.
func channels(ctx context.Context, f files) (report, error) {
	type letter struct {
		line string
		err  error
	}
	r := report{Totals: totals{}}
	lines, priced, letters := make(chan string, ahead), make(chan order, ahead), make(chan letter, ahead)
	var readErr, writeErr error
	var workers, writers sync.WaitGroup
	go func() {
		defer close(lines)
		s := bufio.NewScanner(f.orders)
		for s.Scan() {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				readErr = context.Cause(ctx)
				return
			}
		}
		readErr = s.Err()
	}()
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for line := range lines {
				o, err := price(ctx, line)
				if err != nil {
					letters <- letter{line, err}
					continue
				}
				priced <- o
			}
		})
	}
	writers.Go(func() {
		w := bufio.NewWriter(f.dead)
		for l := range letters {
			fmt.Fprintf(w, "%q,%q\n", l.line, l.err)
			r.Counts.Dead++
		}
		_ = w.Flush()
	})
	writers.Go(func() {
		w := bufio.NewWriterSize(f.priced, 1<<16)
		for o := range priced {
			r.Totals[o.country] += o.cents
			r.Counts.Out++
			n, err := w.Write(o.text)
			if r.Bytes += int64(n); err != nil {
				writeErr = err
			}
		}
		if err := w.Flush(); err != nil {
			writeErr = err
		}
	})
	workers.Wait()
	close(priced)
	close(letters)
	writers.Wait()
	if readErr != nil && readErr != io.EOF {
		return r, readErr
	}
	return r, writeErr
}
