package stream_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool"
)

type jobRecord struct {
	in  []int
	out io.Writer
	to  chan int
}

var numbersOf = stream.Input(func(j jobRecord) []int { return j.in }, stream.Slice[int]())

func (j jobRecord) writer() io.Writer { return j.out }

func TestWrite(t *testing.T) {
	lines := stream.Map(numbersOf, func(v int) string { return strconv.Itoa(v) + "\n" })
	raw := stream.Map(lines, func(s string) []byte { return []byte(s) })
	for _, n := range []int{0, 3, 100_000} {
		var out, same bytes.Buffer
		size, err := flow.Run(t.Context(), stream.Write(lines, 100, jobRecord.writer), jobRecord{in: plantest.Ints(n), out: &out})
		_, err2 := flow.Run(t.Context(), stream.Write(raw, 100, jobRecord.writer), jobRecord{in: plantest.Ints(n), out: &same})
		if err != nil || err2 != nil || size != int64(out.Len()) || strings.Count(out.String(), "\n") != n || out.String() != same.String() {
			t.Errorf("%d lines: %d bytes, %v, %v", n, size, err, err2)
		}
	}
	_, w := io.Pipe()
	w.CloseWithError(errOdd)
	if _, err := flow.Run(t.Context(), stream.Write(lines, 1, jobRecord.writer), jobRecord{in: plantest.Ints(100_000), out: w}); !errors.Is(err, io.ErrClosedPipe) && !errors.Is(err, errOdd) {
		t.Errorf("got %v", err)
	}
	wantRefused(t, stream.Write(lines, 1, nil).Err(), "write: the function is nil")
	wantRefused(t, stream.Write(lines, 0, jobRecord.writer).Err(), "write: ahead must be at least 1, got 0")
	if _, err := flow.Run(t.Context(), stream.Write(lines, 1, jobRecord.writer), jobRecord{in: plantest.Ints(3)}); !errors.Is(err, fault.InvalidRequest) {
		t.Errorf("no writer: %v", err)
	}
}

// shortWriter writes less than it is given, without an error.
type shortWriter struct{}

func (shortWriter) Write(p []byte) (int, error) { return len(p) - 1, nil }

func TestWriteShort(t *testing.T) {
	lines := stream.Map(numbersOf, strconv.Itoa)
	if n, err := flow.Run(t.Context(), stream.Write(lines, 1, jobRecord.writer), jobRecord{in: plantest.Ints(3), out: shortWriter{}}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

func TestSend(t *testing.T) {
	j := jobRecord{in: plantest.Ints(1000), to: make(chan int)}
	done := make(chan []int)
	go func() {
		var got []int
		for v := range j.to {
			got = append(got, v)
		}
		done <- got
	}()
	n, err := flow.Run(t.Context(), stream.Send(numbersOf, 10, func(j jobRecord) chan<- int { return j.to }), j)
	close(j.to)
	wantInts(t, <-done, plantest.Ints(1000)...)
	if n != 1000 || err != nil {
		t.Error(n, err)
	}
	_, err = flow.Run(t.Context(), flow.Timeout(1, stream.Send(numbersOf, 10, func(jobRecord) chan<- int { return nil })), j)
	if err == nil {
		t.Error("nobody has received")
	}
	closed := make(chan int)
	close(closed)
	var lost int64
	told := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			if stages, last := e.Stages(); last {
				lost = stages[len(stages)-1].Lost
			}
		}
	})
	_, err = flow.Run(observe.With(t.Context(), told), stream.Send(numbersOf, 10, func(jobRecord) chan<- int { return closed }), jobRecord{in: plantest.Ints(3)})
	if !errors.Is(err, fault.InternalError) || lost != 3 {
		t.Errorf("a closed channel: %v, %d lost", err, lost)
	}
	wantRefused(t, stream.Send(numbersOf, 1, nil).Err(), "send: the function is nil")
	wantRefused(t, stream.Send(numbersOf, 0, func(j jobRecord) chan<- int { return j.to }).Err(), "send: ahead must be at least 1, got 0")
}

// thirdWriter panics when it is called for the third time.
type thirdWriter struct{ calls, n int }

func (w *thirdWriter) Write(p []byte) (int, error) {
	if w.calls++; w.calls == 3 {
		panic("broken")
	}
	w.n += len(p)
	return len(p), nil
}

// A writer that panics, and a channel that the receiver has closed, don't hide what was delivered before.
func TestRunOfASinkThatPanics(t *testing.T) {
	lines := stream.Map(numbersOf, func(int) string { return strings.Repeat("x", 10_000) })
	w := new(thirdWriter)
	bytes, counts, err := stream.Run(t.Context(), stream.Write(lines, 10, jobRecord.writer), jobRecord{in: plantest.Ints(20), out: w})
	if !errors.Is(err, fault.InternalError) || bytes == 0 || bytes != int64(w.n) || bytes != 10_000*counts.Out {
		t.Errorf("write: %d bytes, want %d; %+v, %v", bytes, w.n, counts, err)
	}
	to, closed := make(chan int), make(chan struct{})
	go func() {
		for range 3 {
			<-to
		}
		close(to)
		close(closed)
	}()
	four := stream.Generate(10, func(_ context.Context, _ struct{}, yield func(int) bool) error {
		for i := range 4 {
			if i == 3 {
				<-closed // a close and a send that aren't in order are a data race
			}
			yield(i)
		}
		return nil
	})
	n, counts, err := stream.Run(t.Context(), stream.Send(four, 10, func(struct{}) chan<- int { return to }), struct{}{})
	if !errors.Is(err, fault.InternalError) || n != 3 || counts.Out != 3 {
		t.Errorf("send: %d sent, want 3; %+v, %v", n, counts, err)
	}
}

// Write doesn't keep the memory of elements until its buffer is full: that memory may be much larger
// than their text.
func TestWriteKeepsNoElements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 4000
		elements := make([]weak.Pointer[byte], 0, n)
		lines := stream.Map(stream.Slice[int](), func(int) []byte {
			line := make([]byte, 1, 1024)
			elements = append(elements, weak.Make(&line[0]))
			return line
		})
		last := 0
		waits := stream.Through(lines, stream.Bound{Limit: 1}, step.DelayBy(func(step.Scope, []byte) time.Duration {
			if last++; last < n {
				return 0
			}
			return time.Hour
		}))
		loop := tool.Start(tool.Options{})
		run := flow.Start(t.Context(), loop, stream.Write(waits, 10, func([]int) io.Writer { return io.Discard }), make([]int, n))
		time.Sleep(time.Minute)
		synctest.Wait()
		runtime.GC()
		live := 0
		for _, e := range elements {
			if e.Value() != nil {
				live++
			}
		}
		if len(elements) != n || live > n/4 { // the memory of a chunk, which stages reuse, may still refer to some
			t.Errorf("%d of %d elements are kept", live, len(elements))
		}
		if bytes, err := run.Wait(t.Context()); bytes != n || err != nil {
			t.Errorf("%d, %v", bytes, err)
		}
		if err := loop.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
