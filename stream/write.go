package stream

import (
	"context"
	"io"
	"iter"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
)

// Write is a sink: it writes the elements one after the other to the writer that to gives for the input, and gives how
// many bytes that were. A goroutine writes, through a buffer. When the stream fails or is cancelled, what has come so
// far is written. At most ahead elements wait for it. Nothing is put between the elements, so make lines of them
// before. The writer isn't closed.
//
// An error of the writer fails the stream; elements that it has not taken whole are lost then. A nil writer is an
// InvalidRequest. Everything else is as with [Consume]. A nil to and an ahead below 1 are reported by
// flow.Plan.Err.
func Write[In any, T ~string | ~[]byte](s Stream[In, T], ahead int, to func(in In) io.Writer) flow.Plan[In, int64] {
	return consume("write", s, ahead, missing(to == nil, "the function"),
		func(_ context.Context, in In, elements iter.Seq[T], undone func([]T)) (int64, error) {
			b := &buffered[T]{to: to(in), text: make([]byte, 0, 2*block)}
			if b.to == nil {
				return 0, fault.New(fault.InvalidRequest, "write: the writer is nil")
			}
			defer func() { undone(b.elements) }() // also if the writer panics
			for v := range elements {
				b.text, b.elements = append(b.text, v...), append(b.elements, v)
				if len(b.text) >= block || len(b.elements) == crowd {
					if err := b.flush(); err != nil {
						return b.n, err
					}
				}
			}
			err := b.flush()
			return b.n, err
		})
}

// crowd is the largest number of elements in the buffer of Write: elements may be empty, and then no text would limit it.
const crowd = block / 4

// buffered is a buffer of elements before a writer.
type buffered[T ~string | ~[]byte] struct {
	to       io.Writer
	text     []byte
	elements []T   // those whose bytes are in text
	n        int64 // bytes that were written
}

// flush writes what is in the buffer. If that fails, elements has those that were not written whole.
func (b *buffered[T]) flush() error {
	var n int
	var err error
	if len(b.text) > 0 {
		n, err = b.to.Write(b.text)
	}
	n = min(max(n, 0), len(b.text)) // a writer that breaks the rules of io.Writer may return any n
	b.n += int64(n)
	if n == len(b.text) {
		clear(b.elements)
		b.text, b.elements = b.text[:0], b.elements[:0]
		return err
	}
	for len(b.elements) > 0 && len(b.elements[0]) <= n {
		n -= len(b.elements[0])
		b.elements = b.elements[1:]
	}
	if err == nil {
		err = io.ErrShortWrite
	}
	return err
}

// Send is a sink: it sends the elements one after the other to the channel that to gives for the input, and gives how
// many there were. A goroutine waits where a channel is full; at most ahead elements wait for it. The channel isn't
// closed; if the receiver closes it, the stream fails. When the stream fails or is cancelled, the element that no
// receiver has taken, and those behind it, are lost. Everything else is as with [Consume]. A nil to and an
// ahead below 1 are reported by flow.Plan.Err.
func Send[In, T any](s Stream[In, T], ahead int, to func(in In) chan<- T) flow.Plan[In, int] {
	return consume("send", s, ahead, missing(to == nil, "the function"),
		func(ctx context.Context, in In, elements iter.Seq[T], undone func([]T)) (n int, err error) {
			ch := to(in)
			var offered []T
			defer func() { undone(offered) }() // also if the channel is closed, which panics
			for v := range elements {
				offered = append(offered[:0], v)
				select {
				case ch <- v:
					n++
					offered = offered[:0]
				case <-ctx.Done():
					return n, nil
				}
			}
			return n, nil
		})
}
