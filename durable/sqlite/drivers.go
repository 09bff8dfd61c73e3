package sqlite

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// drivers are the goroutines that execute runs.
type drivers struct {
	mu     sync.Mutex
	some   sync.Cond
	ready  []*run
	closed bool
	all    sync.WaitGroup
}

func newDrivers(n int) *drivers {
	d := new(drivers)
	d.some.L = &d.mu
	for range n {
		d.all.Go(func() { d.serve(nil) })
	}
	return d
}

func (d *drivers) add(r *run) {
	d.mu.Lock()
	d.ready = append(d.ready, r)
	d.mu.Unlock()
	d.some.Signal()
}

// serve executes runs. If a step ends the goroutine by runtime.Goexit, as t.FailNow does, a new one goes on with the same run.
func (d *drivers) serve(left *run) {
	r := left
	defer func() {
		if v := recover(); v != nil {
			panic(v)
		}
		if r != nil {
			d.all.Go(func() { d.serve(r) })
		}
	}()
	if left != nil {
		left.resume()
	}
	for r = d.next(); r != nil; r = d.next() {
		r.serve()
	}
}

// next waits for a run that is ready, and returns it. After close it doesn't wait, and returns nil if no run is ready.
func (d *drivers) next() *run {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.ready) == 0 && !d.closed {
		d.some.Wait()
	}
	if len(d.ready) == 0 {
		return nil
	}
	r := d.ready[0]
	d.ready[0] = nil
	d.ready = d.ready[1:]
	return r
}

// close makes the goroutines end when no run is ready. It waits for them until ctx ends, and then for a second more.
func (d *drivers) close(ctx context.Context) error {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.some.Broadcast()
	ended := make(chan struct{})
	go func() {
		d.all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	last := time.NewTimer(time.Second)
	defer last.Stop()
	select {
	case <-ended:
		return nil
	case <-last.C:
		return fmt.Errorf("durable/sqlite: a step is still being executed: %w", context.Cause(ctx))
	}
}
