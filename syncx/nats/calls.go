package nats

import (
	"context"
	"crypto/rand"
	"hash/fnv"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/internal/cluster"
)

// calls receives the calls to the flows of this process. A call hands a place to a flow that waits. The guards of one [Guards]
// share one watcher, which is made when the first flow waits and ends some time after the last one has waited. A lost call
// only costs time: a flow that waits looks at the places by itself now and then.
type calls struct {
	kv      jetstream.KeyValue
	lease   time.Duration
	process string
	lines   atomic.Uint64

	mu      sync.Mutex           // guards the fields below; held while the server is asked for a watcher
	waiting map[string]chan call // by flow; each has room for one call
	stop    context.CancelFunc   // ends the watcher; nil if nobody listens
	unused  *time.Timer          // ends the watcher a while after the last flow has waited
}

type call struct {
	flow     string
	guard    string
	place    int
	revision uint64   // of the place, when the call was made
	done     []string // flows that may still stand in the queue, but don't wait any more
}

const unusedFor = time.Second

func newCalls(kv jetstream.KeyValue, lease time.Duration) *calls {
	return &calls{kv: kv, lease: lease, process: rand.Text()[:13], waiting: map[string]chan call{}}
}

// line returns the name of a new line. It doesn't block: guards are made on loops.
func (c *calls) line() string {
	return c.process + "-" + strconv.FormatUint(c.lines.Add(1), 36)
}

// keys is how many keys there are for calls. Processes that share a key ignore each other's calls. If each process had a key
// of its own, the bucket would keep the keys of all processes that were ever called.
const keys = 1024

func callKey(flow string) string {
	process, _, _ := strings.Cut(flow, "-")
	h := fnv.New32a()
	_, _ = h.Write([]byte(process))
	return "calls." + strconv.Itoa(int(h.Sum32()%keys))
}

func (c *calls) make(ctx context.Context, to call) error {
	words := append([]string{to.flow, to.guard, strconv.Itoa(to.place), strconv.FormatUint(to.revision, 10)}, to.done...)
	_, err := c.kv.PutString(ctx, callKey(to.flow), strings.Join(words, " "))
	return err
}

// heard parses the value of a call's key; ok is false if the value isn't a call.
func heard(value string) (c call, ok bool) {
	words := strings.Fields(value)
	if len(words) < 4 {
		return call{}, false
	}
	place, err := strconv.Atoi(words[2])
	if err != nil || place < 0 {
		return call{}, false
	}
	revision, err := strconv.ParseUint(words[3], 10, 64)
	return call{words[0], words[1], place, revision, words[4:]}, err == nil
}

// expect returns the channel of the flow's calls. The caller calls forget when the flow doesn't wait any more.
func (c *calls) expect(flow string) (<-chan call, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.listen(); err != nil {
		return nil, err
	}
	if c.unused != nil {
		c.unused.Stop()
		c.unused = nil
	}
	called := make(chan call, 1)
	c.waiting[flow] = called
	return called, nil
}

// listen makes the watcher if there is none. The caller holds mu.
func (c *calls) listen() error {
	if c.stop != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	w, err := c.kv.Watch(ctx, callKey(c.process), jetstream.UpdatesOnly())
	if err != nil {
		cancel()
		return err
	}
	c.stop = cancel
	go c.follow(ctx, w)
	return nil
}

// again replaces the watcher, because a call didn't come.
func (c *calls) again() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end()
	_ = c.listen() // if this fails, the next flow that waits listens
}

// end stops the watcher, if there is one. The caller holds mu.
func (c *calls) end() {
	if c.stop != nil {
		c.stop()
		c.stop = nil
	}
}

// follow receives the calls from w, until ctx ends or the connection is closed.
func (c *calls) follow(ctx context.Context, w jetstream.KeyWatcher) {
	defer func() { _ = w.Stop() }() // the end of ctx stops w as well
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-w.Updates():
			if !ok {
				c.mu.Lock()
				if ctx.Err() == nil { // otherwise another watcher may have taken over
					c.end()
				}
				c.mu.Unlock()
				return
			}
			if e != nil {
				c.hear(string(e.Value()))
			}
		}
	}
}

// hear gives a call to its flow, or passes it on if the flow doesn't wait any more or has got another call.
func (c *calls) hear(value string) {
	heard, ok := heard(value)
	if !ok || !strings.HasPrefix(heard.flow, c.process+"-") {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting := c.waiting[heard.flow]
	select {
	case waiting <- heard:
	default:
		go c.pass(heard, waiting == nil)
	}
}

// pass hands the place of a call to the first other flow in the queue. done is set if the called flow doesn't wait any more.
func (c *calls) pass(to call, done bool) {
	l := newLine(c, to.guard, 0)
	l.end(to.done...)
	if done {
		l.end(to.flow)
	}
	l.handOver(to.place, to.revision, to.flow)
}

// forget records that the flow doesn't wait any more, and passes on a call that has come meanwhile.
func (c *calls) forget(flow string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case to := <-c.waiting[flow]:
		go c.pass(to, true)
	default:
	}
	delete(c.waiting, flow)
	if len(c.waiting) == 0 {
		c.unused = time.AfterFunc(unusedFor, c.rest)
	}
}

// rest stops the watcher, unless a flow waits again.
func (c *calls) rest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		c.end()
	}
}

// within calls f with a context that ends when the time for one request, cluster.Patience, has passed.
func within(f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), cluster.Patience)
	defer cancel()
	return f(ctx)
}
