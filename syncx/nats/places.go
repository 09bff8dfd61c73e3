package nats

import (
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/internal/cluster"
)

// places are keys of the bucket: "name.places.0", "name.places.1", … The process that has written a key holds that
// place, until the key is deleted or hasn't been written again for the length of a lease. Each process finds that out
// for itself: it has seen the same revision for so long, by its own clock. It then overwrites that very revision, which
// fails if the holder was faster. So no two clocks are ever compared.
type places struct {
	kv   jetstream.KeyValue
	line *line
	keys []string

	mu sync.Mutex // held during a request
}

func newPlaces(kv jetstream.KeyValue, name string, n int, lease time.Duration) *places {
	p := &places{kv: kv, line: newLine(kv, name, n, lease), keys: make([]string, n)}
	for i := range p.keys {
		p.keys[i] = p.line.key(strconv.Itoa(i))
	}
	return p
}

// Acquire implements cluster.Places. A flow that has got a place needn't wait until it is out of the queue.
func (p *places) Acquire(ctx context.Context, wait bool, done func(cluster.Place, error)) {
	go func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		name := p.line.next()
		a := &attempt{places: p, name: name, token: name + "/" + rand.Text(), waits: wait}
		got, err := a.acquire(ctx)
		if err != nil {
			done(nil, err) // without a *place, because a nil one in an interface isn't nil
		} else {
			done(got, nil)
		}
		a.end(err == nil)
	}()
}

// attempt is one call of Acquire, which writes keys under a token of its own.
type attempt struct {
	*places
	name   string // of the flow
	token  string
	waits  bool
	joined bool          // the flow may stand in the queue
	dead   []string      // those before it in the queue who didn't come
	since  time.Duration // when the first write was sent whose outcome isn't known; 0 if there is none
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

// next asks for a place, if it is this process's turn. Otherwise it returns ErrTaken, if the flow waits as soon as something
// has changed.
func (a *attempt) next(ctx context.Context) (*place, error) {
	switch {
	case a.since != 0:
		return a.all(ctx)
	case a.waits:
		if err := a.queue(ctx); err != nil { // no order is better than no place
			cluster.Sleep(ctx, a.line.pause())
			return a.all(ctx)
		}
	case !a.line.listens():
		return a.all(ctx)
	}
	if !a.line.listens() { // nobody has told what there is
		if a.line.await(ctx, longest); !a.line.listens() {
			return a.all(ctx)
		}
	}
	i, dead, wait := a.line.turn(a.name)
	if i >= 0 {
		a.dead = dead
		return a.take(ctx, i)
	}
	if a.waits {
		a.line.await(ctx, wait)
	}
	return nil, cluster.ErrTaken
}

// queue sees to it that the process listens, and that the flow stands in the queue.
func (a *attempt) queue(ctx context.Context) error {
	a.joined = true // also if the answer gets lost
	if err := a.line.listen(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, cluster.Patience)
	defer cancel()
	return a.line.join(ctx, a.name)
}

// end takes the flow out of the queue, unless everybody knows that it doesn't wait any more, because it has got a place.
func (a *attempt) end(got bool) {
	if !a.joined {
		return
	}
	a.line.rest()
	if got && len(a.dead) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), cluster.Patience)
	defer cancel()
	_ = a.line.leave(ctx, append(a.dead, a.name)...) // others find out that it doesn't come
}

// once calls f for a request whose outcome counts also if ctx ends meanwhile: if the request takes the place
// nevertheless, the caller has to know that, to give it back.
func once(ctx context.Context, f func(ctx context.Context) (*place, error)) (*place, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cluster.Patience)
	defer cancel()
	return f(ctx)
}

// all tries every key once, beginning with a random one.
func (a *attempt) all(ctx context.Context) (*place, error) {
	for _, i := range mathrand.Perm(len(a.keys)) {
		got, err := once(ctx, func(ctx context.Context) (*place, error) { return a.try(ctx, i) })
		if !errors.Is(err, cluster.ErrTaken) {
			return got, err
		}
	}
	return nil, cluster.ErrTaken
}

// take takes a place that seems to be free.
func (a *attempt) take(ctx context.Context, i int) (*place, error) {
	revision, expired := a.line.seen(i)
	return once(ctx, func(ctx context.Context) (*place, error) {
		a.sends()
		got, err := a.takeOver(ctx, i, revision)
		if errors.Is(err, cluster.ErrTaken) {
			if expired {
				a.line.again() // it ought to have been told that the lease was renewed
			}
			return a.try(ctx, i)
		}
		return got, err
	})
}

// sends notes that a write is about to be sent.
func (a *attempt) sends() {
	if a.since == 0 {
		a.since = clock.Now()
	}
}

func (a *attempt) try(ctx context.Context, i int) (*place, error) {
	a.sends()
	revision, err := a.kv.Create(ctx, a.keys[i], []byte(a.token))
	if err == nil {
		return a.got(i, revision), nil
	}
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return nil, err
	}
	e, err := a.kv.Get(ctx, a.keys[i])
	switch {
	case absent(err): // deleted just now
		a.since = 0
		return nil, cluster.ErrTaken
	case err != nil:
		return nil, err
	case string(e.Value()) == a.token: // written by this process: the answer of the server was lost
		return a.got(i, e.Revision()), nil
	}
	a.line.held(i, e.Revision(), string(e.Value()))
	if seen, expired := a.line.seen(i); expired && seen == e.Revision() {
		return a.takeOver(ctx, i, seen)
	}
	a.since = 0
	return nil, cluster.ErrTaken
}

// takeOver takes the place if it still has this revision: it is free, or its holder has let the lease pass.
func (a *attempt) takeOver(ctx context.Context, i int, revision uint64) (*place, error) {
	revision, err := a.kv.Update(ctx, a.keys[i], []byte(a.token), revision)
	switch {
	case err == nil:
		return a.got(i, revision), nil
	case errors.Is(err, jetstream.ErrKeyRevisionMismatch): // the holder or another process was faster
		a.since = 0
		return nil, cluster.ErrTaken
	default:
		return nil, err
	}
}

// giveBack deletes the key that the attempt has written if the answer to that was lost. If the server can't be reached the lease
// passes.
func (a *attempt) giveBack() {
	if a.since == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), cluster.Patience)
	defer cancel()
	for _, key := range a.keys {
		if e, err := a.kv.Get(ctx, key); err == nil && string(e.Value()) == a.token {
			_ = a.kv.Delete(ctx, key, jetstream.LastRevision(e.Revision()))
			return
		}
	}
}

func (a *attempt) got(i int, revision uint64) *place {
	a.line.held(i, revision, a.token)
	return &place{kv: a.kv, key: a.keys[i], token: a.token, since: a.since, fence: revision, revision: revision}
}
