package nats

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// The queue of a line is changed by compare-and-swap, each time as a whole.

// next returns a name for a flow of this process.
func (l *line) next() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flow++
	return l.me + ":" + strconv.FormatUint(l.flow, 10)
}

// gotIn takes down whose flow has got a place, by the value of that. The caller holds mu.
func (l *line) gotIn(value string) {
	name, _, _ := strings.Cut(value, "/")
	if process, number := split(name); number > l.last[process] {
		l.last[process] = number
	}
}

// split returns the process of a flow, and its number; 0 if it isn't the name of a flow.
func split(name string) (process string, number uint64) {
	process, digits, _ := strings.Cut(name, ":")
	number, _ = strconv.ParseUint(digits, 10, 64)
	return process, number
}

// waiting returns those of the queue that still wait. The caller holds mu.
func (l *line) waiting() []string {
	return slices.DeleteFunc(slices.Clone(l.queue), func(name string) bool {
		process, number := split(name)
		return number <= l.last[process]
	})
}

// join puts a flow at the end of the queue, unless it stands there already.
func (l *line) join(ctx context.Context, name string) error {
	return l.write(ctx, func(queue []string) []string {
		if slices.Contains(queue, name) {
			return nil
		}
		return append(queue, name)
	})
}

// leave takes flows out of the queue.
func (l *line) leave(ctx context.Context, names ...string) error {
	return l.write(ctx, func(queue []string) []string {
		return slices.DeleteFunc(queue, func(name string) bool { return slices.Contains(names, name) })
	})
}

// write changes the queue, unless change returns nil or what there is. If another process was faster it asks the server for
// the queue and changes that.
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
			l.wrote(next, at)
			return nil
		}
		if !errors.Is(err, jetstream.ErrKeyRevisionMismatch) && !errors.Is(err, jetstream.ErrKeyExists) {
			return err
		}
		if err := l.look(ctx); err != nil {
			return err
		}
	}
}

// wrote takes down what the queue has become. Numbers of processes that don't stand in it aren't needed any more.
func (l *line) wrote(queue []string, revision uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if revision > l.revision {
		l.queue, l.revision = queue, revision
	}
	maps.DeleteFunc(l.last, func(process string, _ uint64) bool {
		return !slices.ContainsFunc(l.queue, func(name string) bool { return strings.HasPrefix(name, process+":") })
	})
}

// put writes the queue if it still has that revision; 0 means that there is none.
func (l *line) put(ctx context.Context, queue string, revision uint64) (uint64, error) {
	if revision == 0 {
		return l.kv.Create(ctx, l.key(queued), []byte(queue))
	}
	return l.kv.Update(ctx, l.key(queued), []byte(queue), revision)
}

// look asks the server for the queue.
func (l *line) look(ctx context.Context) error {
	e, err := l.kv.Get(ctx, l.key(queued))
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil:
		l.note(e)
		return nil
	case absent(err):
		l.queue, l.revision = nil, 0
		return nil
	default:
		return err
	}
}
