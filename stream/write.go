package stream

import (
	"context"
	"io"
	"iter"

	"github.com/futoin-go/asyncsteps/flow"
)

// Write is a sink: it writes the elements one after the other to the writer that to gives for the input, and gives how many
// bytes that were. A goroutine writes, through a buffer. When the stream fails or is cancelled, what has come so far is written. At most ahead elements wait
// for it. Nothing is put between the elements, so make lines of them before. The writer isn't closed. What
// else there is to say stands at [Consume]. A nil to and an ahead below 1 are reported by flow.Plan.Err.
func Write[In any, T ~string | ~[]byte](s Stream[In, T], ahead int, to func(in In) io.Writer) flow.Plan[In, int64] {
	var body func(context.Context, In, iter.Seq[T]) (int64, error)
	if to != nil {
		body = func(_ context.Context, in In, elements iter.Seq[T]) (n int64, err error) {
			w, text := to(in), make([]byte, 0, 2*block)
			flush := func() error {
				written, err := w.Write(text)
				n, text = n+int64(written), text[:0]
				return err
			}
			for v := range elements {
				if text = append(text, v...); len(text) >= block {
					if err := flush(); err != nil {
						return n, err
					}
				}
			}
			if len(text) > 0 {
				err = flush()
			}
			return n, err
		}
	}
	return Consume(s, ahead, body)
}

// Send is a sink: it sends the elements one after the other to the channel that to gives for the input, and gives how many
// there were. A goroutine waits where a channel is full; at most ahead elements wait for it. The channel
// isn't closed. What else there is to say stands at [Consume]. A nil to and an ahead below 1 are reported by
// flow.Plan.Err.
func Send[In, T any](s Stream[In, T], ahead int, to func(in In) chan<- T) flow.Plan[In, int] {
	var body func(context.Context, In, iter.Seq[T]) (int, error)
	if to != nil {
		body = func(ctx context.Context, in In, elements iter.Seq[T]) (n int, err error) {
			ch := to(in)
			for v := range elements {
				select {
				case ch <- v:
					n++
				case <-ctx.Done():
					return n, nil
				}
			}
			return n, nil
		}
	}
	return Consume(s, ahead, body)
}
