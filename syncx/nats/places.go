package nats

import (
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/internal/cluster"
)

// places are keys of the bucket: "name.places.0", "name.places.1", … The process that has written its token to a key holds
// that place, until it gives the place up or hasn't written the key again for the length of a lease. The other processes find
// out by themselves that a lease has passed: a process that has seen the same revision for the length of a lease, by its own
// clock, overwrites that revision. The write fails if the holder was faster.
type places struct {
	line *line

	mu sync.Mutex // held during an Acquire
}

func newPlaces(c *calls, name string, n int) *places { return &places{line: newLine(c, name, n)} }

// Acquire implements cluster.Places. A flow gets its place before it is taken out of the queue.
func (p *places) Acquire(ctx context.Context, wait bool, done func(cluster.Place, error)) {
	go func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		name := p.line.next()
		a := &attempt{places: p, name: name, token: name + "/" + rand.Text(), waits: wait, unsure: -1}
		got, err := a.acquire(ctx)
		if err != nil {
			done(nil, err) // without a *place, because a nil one in an interface isn't nil
		} else {
			done(got, nil)
		}
		a.end(err == nil)
	}()
}

type attempt struct {
	*places
	name   string // of the flow
	token  string
	waits  bool
	called <-chan call // nil until the flow is about to join the queue
	dead   []string    // flows before it in the queue that didn't come
	unsure int         // the place for which the outcome of a write isn't known, or -1
}

func (a *attempt) acquire(ctx context.Context) (*place, error) {
	for {
		got, err := a.next(ctx)
		switch {
		case err == nil:
			return got, nil
		case ctx.Err() != nil:
			a.giveBack()
			return nil, ctx.Err()
		case hopeless(err):
			return nil, err
		case !errors.Is(err, cluster.ErrTaken):
			cluster.Sleep(ctx, cluster.Pause)
		case !a.waits:
			return nil, err
		}
	}
}

// next tries once to get a place. A flow that waits gets ErrTaken when it makes sense to try again at once.
func (a *attempt) next(ctx context.Context) (*place, error) {
	if a.unsure >= 0 || !a.waits && !a.line.busy() {
		return a.all(ctx)
	}
	first := a.called == nil
	a.dead = nil
	if a.waits {
		if err := a.queue(ctx); err != nil { // a flow that can't be queued may still find a place
			cluster.Sleep(ctx, a.line.pause())
			return a.all(ctx)
		}
	}
	if err := a.look(ctx); err != nil {
		return nil, err
	}
	i, dead, wait := a.line.turn(a.name)
	if i >= 0 {
		if a.waits && !first && len(dead) == 0 { // a call may have got lost
			a.line.calls.again()
		}
		a.dead = dead
		revision, _ := a.line.seen(i)
		return a.take(ctx, i, revision)
	}
	if a.waits {
		return a.await(ctx, wait)
	}
	return nil, cluster.ErrTaken
}

// look asks the server for the places, and for the queue too if the flow doesn't wait. One that waits has just read or written
// the queue.
func (a *attempt) look(ctx context.Context) error {
	if !a.waits {
		if err := patient(ctx, a.line.ask); err != nil {
			return err
		}
	}
	return a.line.look(ctx)
}

// await waits for a call, at most for the given time, and takes the place that the call names. Without a call it returns
// ErrTaken.
func (a *attempt) await(ctx context.Context, wait time.Duration) (*place, error) {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case to := <-a.called:
		a.line.end(to.done...)
		if to.place < len(a.line.spots) {
			return a.take(context.WithoutCancel(ctx), to.place, to.revision) // also if ctx ends: a flow that is cancelled passes the place on
		}
		go a.line.calls.pass(to, false)
	case <-t.C:
	case <-ctx.Done():
	}
	return nil, cluster.ErrTaken
}

// queue makes sure that the process hears calls, and that the flow stands in the queue, also after it was passed over.
func (a *attempt) queue(ctx context.Context) error {
	if a.called == nil {
		called, err := a.line.calls.expect(a.name)
		if err != nil {
			return err
		}
		a.called = called
	} else if err := patient(ctx, a.line.ask); err != nil {
		return err
	}
	return patient(ctx, func(ctx context.Context) error { return a.line.join(ctx, a.name) })
}

// end takes the flow out of the queue. If the flow has got the only place of the guard, the queue needn't be written now: the
// call that hands the place to the next flow names those that don't wait any more.
func (a *attempt) end(got bool) {
	if a.called == nil {
		a.line.forgetDone()
		return
	}
	a.line.end(append(a.dead, a.name)...)
	a.line.calls.forget(a.name)
	a.line.rest()
	if !got || len(a.dead) > 0 || len(a.line.spots) > 1 {
		_ = within(a.line.tidy) // if this fails, others find out by themselves that the flow doesn't come
	}
}

func patient(ctx context.Context, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, cluster.Patience)
	defer cancel()
	return f(ctx)
}

// once calls f for a request whose outcome counts even if ctx ends: if the request takes the place, the caller has to know,
// to give it back.
func once(ctx context.Context, f func(ctx context.Context) (*place, error)) (*place, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cluster.Patience)
	defer cancel()
	return f(ctx)
}

// all tries the keys in a random order, each once, until it has got a place or a request fails. A place that the flow may
// have got already comes first.
func (a *attempt) all(ctx context.Context) (*place, error) {
	order := mathrand.Perm(len(a.line.spots))
	if a.unsure >= 0 {
		j := slices.Index(order, a.unsure)
		order[0], order[j] = order[j], order[0]
	}
	for _, i := range order {
		got, err := once(ctx, func(ctx context.Context) (*place, error) { return a.try(ctx, i) })
		if !errors.Is(err, cluster.ErrTaken) {
			return got, err
		}
	}
	return nil, cluster.ErrTaken
}

// take takes place i if it still has the given revision, or if it is free. With a revision of 0 the place seems to be free.
func (a *attempt) take(ctx context.Context, i int, revision uint64) (*place, error) {
	return once(ctx, func(ctx context.Context) (*place, error) {
		if revision != 0 {
			got, err := a.takeOver(ctx, i, revision)
			if !errors.Is(err, cluster.ErrTaken) {
				return got, err
			}
			a.line.forget(i)
		}
		return a.try(ctx, i)
	})
}

// try takes place i if it has no value, or if its time has passed.
func (a *attempt) try(ctx context.Context, i int) (*place, error) {
	a.unsure = i
	since := clock.Now() // not the time of an earlier try, which may be more than a lease ago
	revision, err := a.line.kv.Create(ctx, a.line.place(i), []byte(a.token))
	if err == nil {
		return a.got(ctx, i, revision, since)
	}
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return nil, err
	}
	e, err := a.line.kv.Get(ctx, a.line.place(i))
	switch {
	case absent(err): // the key was deleted just now
		a.unsure = -1
		return nil, cluster.ErrTaken
	case err != nil:
		return nil, err
	case string(e.Value()) == a.token: // written by this process: the answer of the server was lost; the lease begins anew
		return a.takeOver(ctx, i, e.Revision())
	}
	a.line.sight(i, e.Revision(), string(e.Value()))
	if seen, expired := a.line.seen(i); expired && seen == e.Revision() {
		return a.takeOver(ctx, i, seen)
	}
	a.unsure = -1
	return nil, cluster.ErrTaken
}

// takeOver takes the place if it still has the given revision.
func (a *attempt) takeOver(ctx context.Context, i int, revision uint64) (*place, error) {
	a.unsure = i
	since := clock.Now()
	revision, err := a.line.kv.Update(ctx, a.line.place(i), []byte(a.token), revision)
	switch {
	case err == nil:
		return a.got(ctx, i, revision, since)
	case errors.Is(err, jetstream.ErrKeyRevisionMismatch): // the holder or another process was faster
		a.unsure = -1
		return nil, cluster.ErrTaken
	default:
		return nil, err
	}
}

// giveBack gives back a place that the attempt has taken by a write whose answer was lost. If giveBack fails, the place
// becomes free at the end of the lease.
func (a *attempt) giveBack() {
	if a.unsure < 0 {
		return
	}
	var e jetstream.KeyValueEntry
	err := within(func(ctx context.Context) (err error) {
		e, err = a.line.kv.Get(ctx, a.line.place(a.unsure))
		return err
	})
	if err == nil && string(e.Value()) == a.token {
		a.line.letGo(a.unsure, e.Revision())
	}
}

// got returns the place taken by a write that was sent at since. If the answer has come late, much of the lease has passed,
// and got writes once more. Answers come late after an outage, for instance, because the client has kept the write.
func (a *attempt) got(ctx context.Context, i int, revision uint64, since time.Duration) (*place, error) {
	a.line.sight(i, revision, a.token)
	if clock.Now()-since > a.line.calls.lease/2 {
		return a.takeOver(ctx, i, revision)
	}
	return &place{line: a.line, number: i, token: a.token, since: since, fence: revision, waited: a.waits, revision: revision}, nil
}
