package stream_test

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/stream"
)

type job struct {
	in  []int
	out io.Writer
	to  chan int
}

var numbersOf = stream.Input(func(j job) []int { return j.in }, stream.Slice[int]())

func (j job) writer() io.Writer { return j.out }

func TestWrite(t *testing.T) {
	lines := stream.Map(numbersOf, func(v int) string { return strconv.Itoa(v) + "\n" })
	raw := stream.Map(lines, func(s string) []byte { return []byte(s) })
	for _, n := range []int{0, 3, 100_000} {
		var out, same bytes.Buffer
		size, err := flow.Run(t.Context(), stream.Write(lines, 100, job.writer), job{in: upTo(n), out: &out})
		_, err2 := flow.Run(t.Context(), stream.Write(raw, 100, job.writer), job{in: upTo(n), out: &same})
		if err != nil || err2 != nil || size != int64(out.Len()) || strings.Count(out.String(), "\n") != n || out.String() != same.String() {
			t.Errorf("%d lines: %d bytes, %v, %v", n, size, err, err2)
		}
	}
	_, w := io.Pipe()
	w.CloseWithError(errOdd)
	if _, err := flow.Run(t.Context(), stream.Write(lines, 1, job.writer), job{in: upTo(100_000), out: w}); !errors.Is(err, io.ErrClosedPipe) && !errors.Is(err, errOdd) {
		t.Errorf("got %v", err)
	}
	refused(t, stream.Write(lines, 1, nil).Err(), "consume: the body is nil")
}

func TestSend(t *testing.T) {
	j := job{in: upTo(1000), to: make(chan int)}
	done := make(chan []int)
	go func() {
		var got []int
		for v := range j.to {
			got = append(got, v)
		}
		done <- got
	}()
	n, err := flow.Run(t.Context(), stream.Send(numbersOf, 10, func(j job) chan<- int { return j.to }), j)
	close(j.to)
	ints(t, <-done, upTo(1000)...)
	if n != 1000 || err != nil {
		t.Error(n, err)
	}
	_, err = flow.Run(t.Context(), flow.Timeout(1, stream.Send(numbersOf, 10, func(job) chan<- int { return nil })), j)
	if err == nil {
		t.Error("nobody has received")
	}
}
