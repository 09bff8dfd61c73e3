package httpx

import (
	"context"
	"io"
)

// body is the body of an answer. The context of its attempt ends when a read returns an error, io.EOF included, or when the body is
// closed.
type body struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

// tie returns a body that reads from b. cancel ends the context of the attempt.
func tie(b io.ReadCloser, cancel context.CancelCauseFunc) io.ReadCloser {
	tied := &body{b, cancel}
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
		b.cancel(nil)
	}
	return n, err
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}
