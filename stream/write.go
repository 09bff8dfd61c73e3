package stream

import (
	"context"
	"io"
	"iter"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
)

// Write is a sink: it writes the elements one after the other to the writer to(in), where in is the input. Its result
// is the number of bytes written. A goroutine calls to and writes, through a buffer. When the stream fails or is
// cancelled, what has come so far is written. Up to ahead elements wait for the goroutine. Nothing is put between the
// elements, so add line ends to them before. The writer isn't closed.
//
// An error of the writer fails the stream, and elements that the writer has not taken whole are lost. A nil writer fails the
// stream with InvalidRequest. Everything else is as with [Consume]. A nil to and an ahead below 1 are reported by
// flow.Plan.Err.
func Write[In any, T ~string | ~[]byte](s Stream[In, T], ahead int, to func(in In) io.Writer) flow.Plan[In, int64] {
	return consume("write", s, ahead, missing(to == nil, "the function"),
		func(_ context.Context, in In, elements iter.Seq[T], out *int64, undone func(n int)) error {
			b := &buffered{to: to(in), text: make([]byte, 0, block)}
			if b.to == nil {
				return fault.New(fault.InvalidRequest, "write: the writer is nil")
			}
			waiting := 0   // number of elements that aren't in the buffer yet
			defer func() { // even if the writer panics
				*out = b.n
				undone(len(b.lengths) + waiting)
			}()
			for v := range elements {
				if len(b.text)+len(v) > block || len(b.lengths) == crowd {
					waiting = 1
					if err := b.flush(); err != nil {
						return err
					}
					waiting = 0
				}
				b.text, b.lengths = append(b.text, v...), append(b.lengths, len(v))
			}
			return b.flush()
		})
}

// crowd is the largest number of elements in the buffer of Write. It bounds lengths if elements are short.
const crowd = block / 8

type buffered struct {
	to      io.Writer
	text    []byte
	lengths []int // the length of each element in text
	n       int64 // bytes that were written
}

// flush writes the text in the buffer. If that fails, lengths keeps the lengths of the elements
// that were not written whole.
func (b *buffered) flush() error {
	var n int
	var err error
	if len(b.text) > 0 {
		n, err = b.to.Write(b.text)
	}
	n = min(max(n, 0), len(b.text)) // a writer that breaks the rules of io.Writer may return any n
	b.n += int64(n)
	if n == len(b.text) {
		b.text, b.lengths = b.text[:0], b.lengths[:0]
		if cap(b.text) > block { // after a long element
			b.text = make([]byte, 0, block)
		}
		return err
	}
	for len(b.lengths) > 0 && b.lengths[0] <= n {
		n -= b.lengths[0]
		b.lengths = b.lengths[1:]
	}
	if err == nil {
		err = io.ErrShortWrite
	}
	return err
}

// Send is a sink: it sends the elements one after the other to the channel to(in), where in is the input. Its result
// is the number of elements sent. A goroutine calls to, and waits while the channel is full; up to ahead elements
// wait for the goroutine. The channel isn't closed; if the receiver closes it, the next element fails the stream. When
// the stream fails or is cancelled, Send no longer waits for room, and the elements that it hasn't sent are lost; while
// there is room, some may still be sent. A nil channel takes no element: the first one waits until the sink is left.
// Everything else is as with [Consume]. A nil to and an ahead below 1 are reported by flow.Plan.Err.
func Send[In, T any](s Stream[In, T], ahead int, to func(in In) chan<- T) flow.Plan[In, int] {
	return consume("send", s, ahead, missing(to == nil, "the function"),
		func(ctx context.Context, in In, elements iter.Seq[T], sent *int, undone func(n int)) error {
			ch := to(in)
			offered := 0
			defer func() { undone(offered) }() // deferred, because a send to a closed channel panics
			for v := range elements {
				offered = 1
				select {
				case ch <- v:
					*sent++
					offered = 0
				case <-ctx.Done():
					return nil
				}
			}
			return nil
		})
}
