package httpx

import (
	"context"
	"io"
)

// body is the body of an answer. The context of its attempt lives until the body is read to its end or closed.
type body struct {
	io.ReadCloser
	stop   func() bool
	cancel context.CancelCauseFunc
}

// tie returns b with an end that calls cancel, which ends the context of the attempt. The end of ctx calls cancel as
// well.
func tie(ctx context.Context, b io.ReadCloser, cancel context.CancelCauseFunc) io.ReadCloser {
	tied := &body{ReadCloser: b, cancel: cancel}
	tied.stop = context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	if w, ok := b.(io.Writer); ok { // the connection after 101 Switching Protocols
		return struct {
			*body
			io.Writer
		}{tied, w}
	}
	return tied
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.release()
	}
	return n, err
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.release()
	return err
}

func (b *body) release() {
	b.stop()
	b.cancel(nil)
}
