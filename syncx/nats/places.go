package nats

import (
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"slices"
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
	kv    jetstream.KeyValue
	name  string
	keys  []string
	lease time.Duration

	mu   sync.Mutex // held during a request
	seen []sighting // for each key
}

// sighting is a revision of a key, and when this process has first seen it.
type sighting struct {
	revision uint64
	at       time.Duration
}

func newPlaces(kv jetstream.KeyValue, name string, n int, lease time.Duration) *places {
	p := &places{kv: kv, name: name, lease: lease, keys: make([]string, n), seen: make([]sighting, n)}
	for i := range p.keys {
		p.keys[i] = name + ".places." + strconv.Itoa(i)
	}
	return p
}

// Acquire implements cluster.Places.
func (p *places) Acquire(ctx context.Context, wait bool, done func(cluster.Place, error)) {
	go func() {
		p.mu.Lock()
		got, err := p.acquire(ctx, wait)
		p.mu.Unlock()
		if err != nil {
			done(nil, err) // without a *place, because a nil one in an interface isn't nil
			return
		}
		done(got, nil)
	}()
}

func (p *places) acquire(ctx context.Context, wait bool) (*place, error) {
	a := &attempt{places: p, token: rand.Text()}
	for {
		got, err := a.all(ctx)
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
		case !wait:
			return nil, err
		default:
			p.await(ctx)
		}
	}
}

// await returns when a place may be free: a key was deleted, a lease may be over, or ctx
// has ended.
func (p *places) await(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := p.kv.Watch(ctx, p.name+".places.*", jetstream.MetaOnly())
	if err != nil {
		cluster.Sleep(ctx, cluster.Pause)
		return
	}
	defer func() { _ = w.Stop() }() // ctx ends it as well
	over := time.NewTimer(p.left())
	defer over.Stop()
	held, all := 0, false
	for {
		select {
		case <-ctx.Done():
			return
		case <-over.C:
			return
		case e, ok := <-w.Updates():
			switch {
			case !ok:
				return
			case e == nil: // all existing keys have been reported
				if all = true; held < len(p.keys) {
					return
				}
			case !slices.Contains(p.keys, e.Key()): // another guard's
			case e.Operation() == jetstream.KeyValuePut:
				held++
				p.sight(e)
				over.Reset(p.left())
			case all:
				return
			}
		}
	}
}

// sight records when the revision of e was first seen.
func (p *places) sight(e jetstream.KeyValueEntry) {
	if i := slices.Index(p.keys, e.Key()); i >= 0 && p.seen[i].revision != e.Revision() {
		p.seen[i] = sighting{e.Revision(), clock.Now()}
	}
}

// left returns how long it takes until the first lease may be over.
func (p *places) left() time.Duration {
	left, now := p.lease, clock.Now()
	for _, s := range p.seen {
		left = min(left, s.at+p.lease-now)
	}
	return max(left, time.Millisecond)
}

// attempt is one call of Acquire, which writes keys under a token of its own.
type attempt struct {
	*places
	token string
	since time.Duration // when the first write was sent whose outcome isn't known; 0 if there is none
}

// all tries every key once, beginning with a random one. The end of ctx doesn't end a request that is under way: if that takes the
// place nevertheless, the caller has to know that, to give it back.
func (a *attempt) all(ctx context.Context) (*place, error) {
	for _, i := range mathrand.Perm(len(a.keys)) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		once, cancel := context.WithTimeout(context.WithoutCancel(ctx), cluster.Patience)
		got, err := a.try(once, i)
		cancel()
		if !errors.Is(err, cluster.ErrTaken) {
			return got, err
		}
	}
	return nil, cluster.ErrTaken
}

func (a *attempt) try(ctx context.Context, i int) (*place, error) {
	if a.since == 0 {
		a.since = clock.Now()
	}
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
	a.sight(e)
	if now := clock.Now(); now-a.seen[i].at >= a.lease {
		return a.takeOver(ctx, i, e.Revision())
	}
	a.since = 0
	return nil, cluster.ErrTaken
}

// takeOver takes the place of a holder that has let its lease pass.
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
	return &place{kv: a.kv, key: a.keys[i], token: a.token, since: a.since, fence: revision, revision: revision}
}
