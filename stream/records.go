package stream

import (
	"bufio"
	"context"
	"io"
)

// Records is a source that reads its input, and gives the records that split finds in it: words, lines of another
// kind, or records that begin with their length. A goroutine reads and calls split. It pauses while ahead records
// wait for the stages behind. Each record is a string of its own.
//
// An error of the reader or of split fails the stream after the records before it, and so does a record of more than
// 16 MiB, its end included. A panic of split fails the stream too. A reader that blocks for ever outlives the stream, see
// step.Await; close it then. A nil interface is an empty reader. A nil split and an ahead below 1 are reported by
// flow.Plan.Err. [Lines] is for lines.
func Records[R io.Reader](ahead int, split bufio.SplitFunc) Stream[R, string] {
	return generate("records", ahead, missing(split == nil, "the split"), func(ctx context.Context, in R, to *mailbox[string]) error {
		if any(in) == nil {
			return nil
		}
		s := bufio.NewScanner(in)
		s.Buffer(make([]byte, 0, block), longest+1)
		s.Split(bounded(split))
		for ctx.Err() == nil && s.Scan() {
			if !to.put(s.Text()) {
				return nil
			}
		}
		return s.Err()
	})
}

// bounded returns split for a buffer of longest+1 bytes. It fails when split finds no record in the first longest bytes and there
// are more.
func bounded(split bufio.SplitFunc) bufio.SplitFunc {
	return func(data []byte, atEOF bool) (advance int, token []byte, err error) {
		if len(data) <= longest {
			return split(data, atEOF)
		}
		advance, token, err = split(data[:longest], false)
		if advance == 0 && token == nil && err == nil {
			err = bufio.ErrTooLong
		}
		return advance, token, err
	}
}
