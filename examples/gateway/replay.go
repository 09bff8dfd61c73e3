package main

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// answerLimit is how long a client waits for an answer: far longer than the gateway may take.
const answerLimit = time.Minute

// replay sends the requests of o to s, then the bursts, and reports the answers. When ctx ends it stops sending, but takes the
// answers to those in flight. It fails if the gateway of a burst could not work.
func (s *system) replay(ctx context.Context, o options, known shop, log io.Writer) (*report, error) {
	r := newReport(o.requests())
	p := newProgress(log)
	defer p.end()
	client := newClient(o.workers)
	client.Timeout = answerLimit
	defer client.CloseIdleConnections()
	for got := range send(ctx, client, s.url, o.exchanges, o.workers) {
		r.add(got)
		p.show(r)
	}
	for _, b := range o.bursts {
		if ctx.Err() != nil {
			break
		}
		problem, err := b.replay(ctx, known, log, func(got outcome) {
			r.count(got)
			p.show(r)
		})
		if err != nil {
			return r, err
		}
		r.judge(problem)
	}
	return r, nil
}

// send makes the exchanges with the gateway at url, in order, as many at a time as there are workers. The channel delivers the
// outcomes as they come, and is closed after the last one.
func send(ctx context.Context, client *http.Client, url string, exchanges []exchange, workers int) <-chan outcome {
	outcomes := make(chan outcome)
	next := make(chan exchange)
	go func() {
		defer close(next)
		for _, e := range exchanges {
			select {
			case next <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for e := range next {
				outcomes <- e.send(client, url)
			}
		})
	}
	go func() {
		all.Wait()
		close(outcomes)
	}()
	return outcomes
}
