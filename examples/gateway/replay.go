package main

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// answerLimit is when a client gives up; it is far beyond what the gateway
// allows itself.
const answerLimit = time.Minute

// replay sends the requests of o and reports what came back. When ctx ends no
// more are sent; the answers to those in flight are still taken.
func (s *system) replay(ctx context.Context, o options, log io.Writer) *report {
	client := &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: o.workers},
		Timeout:   answerLimit,
	}
	defer client.CloseIdleConnections()
	r := newReport(len(o.exchanges))
	p := newProgress(log)
	for result := range send(ctx, client, s.url, o.exchanges, o.workers) {
		r.add(result)
		p.show(r)
	}
	p.end()
	return r
}

// send makes the exchanges with the gateway at url, some at a time, in order.
// The channel gives the outcomes as they come, and is closed after the last one.
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
