package wasm

import "io"

// output passes on what an instance writes. One call of fd_write may write all of the memory many times, so Write looks for an order to
// stop.
type output struct {
	in *instance
	to io.Writer
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	o.in.check()
	return o.to.Write(b)
}
