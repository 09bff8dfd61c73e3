package stream

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/futoin-go/asyncsteps/fault"
)

// block is the size in bytes of the buffers of Lines, Records and Write. They grow for longer elements.
const block = 32 << 10

// longest is the greatest size of a line with its end, or of a record, in bytes.
const longest = 16 << 20

// mostEmpty is how many times in a row a reader may return no bytes and no error.
const mostEmpty = 100

// Lines is a source that reads its input, and gives the lines without their ends ("\n" or "\r\n"). A
// goroutine reads blocks, and pauses while ahead lines wait for the stages behind. An error of
// the reader fails the stream after the lines before it, and so does a line of more than 16 MiB, its end included.
//
// Lines of one read share their memory: strings.Clone those that you keep longer than their neighbours. A
// reader that blocks for ever outlives the stream, see step.Await; close it then. A
// nil interface is an empty reader. An ahead below 1 is reported by flow.Plan.Err.
func Lines[R io.Reader](ahead int) Stream[R, string] {
	return generate("lines", ahead, "", func(ctx context.Context, in R, to *mailbox[string]) error {
		if any(in) == nil {
			return nil
		}
		return split(ctx, in, to)
	})
}

// split reads blocks. It makes one string of the whole lines in a block, and the lines are parts of
// that string, which saves allocations.
func split(ctx context.Context, in io.Reader, to *mailbox[string]) error {
	buf, n, empty := make([]byte, block), 0, 0
	lines := make([]string, most)
	for ctx.Err() == nil {
		if n == len(buf) {
			buf = slices.Concat(buf, make([]byte, min(n, longest+1-n))) // longest+1 to see whether a line of that size ends there
		}
		got, err := in.Read(buf[n:])
		if n+got > longest {
			return fault.New(fault.InvalidRequest, "a line is too long")
		}
		if got > 0 {
			empty = 0
		} else if empty++; empty == mostEmpty && err == nil {
			return io.ErrNoProgress
		}
		whole := bytes.LastIndexByte(buf[n:n+got], '\n')
		n += got
		if whole >= 0 {
			whole += n - got
			text := string(buf[:whole])
			n = copy(buf, buf[whole+1:n])
			if !putLines(to, text, lines) {
				return nil
			}
		}
		if err != nil {
			if n > 0 && !to.put(strings.TrimSuffix(string(buf[:n]), "\r")) {
				return nil
			}
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
	return nil
}

// putLines puts the lines of text, as many at a time as fit into room. It reports false if no more are wanted.
func putLines(to *mailbox[string], text string, room []string) bool {
	defer clear(room[:cap(room)]) // otherwise the lines would keep text alive
	lines := room[:0]
	for line := range strings.SplitSeq(text, "\n") {
		if lines = append(lines, strings.TrimSuffix(line, "\r")); len(lines) == cap(room) {
			if !to.putAll(lines) {
				return false
			}
			lines = lines[:0]
		}
	}
	return to.putAll(lines)
}
