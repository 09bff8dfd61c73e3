package nats

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// The queue of a line is changed as a whole, by compare-and-swap. A flow that has got the only place of a guard need not be
// taken out of the queue at once: a process that hands a place over tells the next flow which flows don't wait any more, and
// a process that writes the queue leaves them out.

func (l *line) next() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flow++
	return l.me + ":" + strconv.FormatUint(l.flow, 10)
}

func isFlow(name string) bool {
	_, number, ok := strings.Cut(name, ":")
	_, err := strconv.ParseUint(number, 10, 64)
	return ok && err == nil
}

func (l *line) end(flows ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range flows {
		l.isDone(name)
	}
}

// isDone records that the flow doesn't wait any more. It makes a new slice, because calls have the old one. The caller
// holds mu.
func (l *line) isDone(name string) {
	if !slices.Contains(l.done, name) {
		l.done = append(slices.Clip(l.done), name)
	}
}

// forgetDone drops the oldest names from done, until there are no more than places. The flows of the last names may still be
// in the queue. If a flow of this process has waited lately, forgetDone does nothing: note drops the names that aren't in the
// queue.
func (l *line) forgetDone() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if more := len(l.done) - len(l.spots); l.unused == nil && more > 0 {
		l.done = l.done[more:]
	}
}

// waiting returns the flows of the queue that still wait. The caller holds mu.
func (l *line) waiting() []string {
	return slices.DeleteFunc(slices.Clone(l.queue), func(name string) bool { return !isFlow(name) || slices.Contains(l.done, name) })
}

// first reads the queue, and returns the flow that has waited longest and isn't in skip. It returns "" if there is none, or
// if the queue can't be read.
func (l *line) first(skip []string) string {
	if within(l.ask) != nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range l.waiting() {
		if !slices.Contains(skip, name) {
			return name
		}
	}
	return ""
}

// join puts a flow at the end of the queue, unless it is in the queue already.
func (l *line) join(ctx context.Context, name string) error {
	return l.write(ctx, func(queue []string) []string {
		if slices.Contains(queue, name) {
			return nil
		}
		return append(queue, name)
	})
}

func (l *line) tidy(ctx context.Context) error {
	return l.write(ctx, func(queue []string) []string { return queue })
}

// write replaces the queue by the result of change for the flows in it that still wait, unless the result is nil or equals
// the queue. If another process was faster, write tries again.
func (l *line) write(ctx context.Context, change func(waiting []string) []string) error {
	for {
		l.mu.Lock()
		queue, waiting, revision := l.queue, l.waiting(), l.revision
		l.mu.Unlock()
		next := change(waiting)
		if next == nil || slices.Equal(next, queue) {
			return nil
		}
		at, err := l.put(ctx, strings.Join(next, " "), revision)
		if err == nil {
			l.note(next, at)
			return nil
		}
		if !errors.Is(err, jetstream.ErrKeyRevisionMismatch) && !errors.Is(err, jetstream.ErrKeyExists) {
			return err
		}
		l.mu.Lock()
		l.revision = 0 // any revision counts from now on: the bucket may be another one
		l.mu.Unlock()
		if err := l.ask(ctx); err != nil {
			return err
		}
	}
}

// note records the queue unless a later revision is known. With a revision of 0 there is no queue.
func (l *line) note(queue []string, revision uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if revision != 0 && revision < l.revision {
		return
	}
	l.queue, l.revision = queue, revision
	l.done = slices.DeleteFunc(slices.Clone(l.done), func(name string) bool { return !slices.Contains(queue, name) })
}

// put writes the queue if its key has the given revision, which is 0 if there is no queue yet.
func (l *line) put(ctx context.Context, queue string, revision uint64) (uint64, error) {
	if revision == 0 {
		return l.kv.Create(ctx, l.key(queued), []byte(queue))
	}
	return l.kv.Update(ctx, l.key(queued), []byte(queue), revision)
}

func (l *line) ask(ctx context.Context) error {
	e, err := l.kv.Get(ctx, l.key(queued))
	switch {
	case err == nil:
		l.note(strings.Fields(string(e.Value())), e.Revision())
		return nil
	case absent(err):
		l.note(nil, 0)
		return nil
	default:
		return err
	}
}

// clear tidies the queue, and deletes its key if nobody waits. If another flow has written the queue meanwhile, the new
// revision stays known.
func (l *line) clear(ctx context.Context) error {
	if err := l.tidy(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	waiting, revision := len(l.queue), l.revision
	l.mu.Unlock()
	if waiting > 0 || revision == 0 {
		return nil
	}
	if err := l.kv.Delete(ctx, l.key(queued), jetstream.LastRevision(revision)); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.revision == revision {
		l.revision = 0
	}
	return nil
}

// rest clears the queue after a while, for processes that come later. Another call puts that off.
func (l *line) rest() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unused != nil {
		l.unused.Stop()
	}
	var t *time.Timer
	t = time.AfterFunc(unusedFor, func() {
		l.mu.Lock()
		last := l.unused == t
		if last {
			l.unused = nil
		}
		l.mu.Unlock()
		if last {
			_ = within(l.clear)
		}
	})
	l.unused = t
}
