package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/stream"
)

func orders(tb testing.TB, size int64) []byte {
	tb.Helper()
	var b bytes.Buffer
	if _, err := generate(tb.Context(), &b, size); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// Both versions come to the same totals.
func TestETL(t *testing.T) {
	in := orders(t, 1<<20)
	var out, dead, out2, dead2 bytes.Buffer
	var progress stream.Progress
	r, err := etl(t.Context(), files{bytes.NewReader(in), &out, &dead}, &progress)
	r2, err2 := channels(t.Context(), files{bytes.NewReader(in), &out2, &dead2})
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	n := int64(bytes.Count(in, []byte("\n")))
	if r.Counts.In != n || r.Counts.Dead != n/1000 || r.Counts.Out != n-n/1000 || r.Counts.Lost != 0 {
		t.Errorf("%+v of %d lines", r.Counts, n)
	}
	if !maps.Equal(r.Totals, r2.Totals) || r.Bytes != r2.Bytes || r.Bytes != int64(out.Len()) || dead.Len() != dead2.Len() {
		t.Errorf("%+v, by hand %+v", r, r2)
	}
	first, _, _ := strings.Cut(out.String(), "\n")
	if first != "0000000000,Austria,anvil,1,23880" {
		t.Errorf("the first line is %q", first)
	}
	if want := "\"0000000999,Denmark,engine,many\",\"strconv.ParseInt: parsing \\\"many\\\": invalid syntax\"\n"; !strings.HasPrefix(dead.String(), want) {
		t.Errorf("the first dead letter is %q", strings.SplitAfter(dead.String(), "\n")[0])
	}
}

// stopper is a reader whose read number left cancels the context.
type stopper struct {
	io.Reader

	left   int
	cancel func()
}

func (s *stopper) Read(p []byte) (int, error) {
	if s.left--; s.left == 0 {
		s.cancel()
	}
	return s.Reader.Read(p)
}

// After an interrupt the report agrees with the output, and each line that was read is priced, a dead letter, or left over.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, dead bytes.Buffer
	var progress stream.Progress
	in := &stopper{bytes.NewReader(orders(t, 4<<20)), 20, cancel}
	r, err := etl(ctx, files{in, &out, &dead}, &progress)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	c := r.Counts
	if c.In == 0 || c.Out+c.Dead+c.Lost != c.In || int64(strings.Count(dead.String(), "\n")) != c.Dead+c.Lost {
		t.Errorf("%+v, %d dead letters", c, strings.Count(dead.String(), "\n"))
	}
	if n := int64(strings.Count(out.String(), "\n")); n != c.Out || int64(out.Len()) != r.Bytes {
		t.Errorf("%d lines were written of %d", n, c.Out)
	}
}

func TestCommand(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	if err := command(t.Context(), &out, io.Discard, dir, 100_000); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "3 dead, 0 left over") || !strings.Contains(out.String(), "Austria") {
		t.Errorf("it says\n%s", out.String())
	}
	if text, err := os.ReadFile(filepath.Join(dir, "dead.csv")); err != nil || bytes.Count(text, []byte("\n")) != 3 {
		t.Errorf("%s, %v", text, err)
	}
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		megabytes int64
		args      []string
		size      int64
		want      string // the beginning of the error, or "" for none
	}{
		{1, nil, 1 << 20, ""},
		{math.MaxInt64 >> 20, nil, math.MaxInt64 >> 20 << 20, ""},
		{0, nil, 0, "-size 0"},
		{-1, nil, 0, "-size -1"},
		{1 << 43, nil, 0, "-size 8796093022208"},
		{math.MaxInt64, nil, 0, "-size 9223372036854775807"},
		{200, []string{"300"}, 0, "unexpected argument"},
	} {
		size, err := options(tt.megabytes, tt.args)
		if size != tt.size || (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%d, %q: %d, %v", tt.megabytes, tt.args, size, err)
		}
	}
}

// A line that is no order is a dead letter, and adds nothing to the totals.
func TestNoOrders(t *testing.T) {
	for _, line := range []string{"", "1,Chile,anvil", "1,Chile,anvil,1,2", "x,Chile,anvil,1", "1,Chile,tea,1", "1,Chile,anvil,0", "1,Chile,anvil,-5"} {
		var out, dead bytes.Buffer
		r, err := etl(t.Context(), files{strings.NewReader(line + "\n"), &out, &dead}, new(stream.Progress))
		if err != nil || r.Counts.Dead != 1 || len(r.Totals) != 0 || out.Len() != 0 {
			t.Errorf("%q: %+v, %v, %q", line, r, err, &out)
		}
	}
}

// BenchmarkETL compares both versions.
func BenchmarkETL(b *testing.B) {
	name := filepath.Join(b.TempDir(), "orders.csv") // a file, so that it isn't in the memory that is measured
	const size = 32 << 20
	if err := os.WriteFile(name, orders(b, size), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, version := range []struct {
		name string
		run  func(files) (report, error)
	}{
		{"stream", func(f files) (report, error) { return etl(b.Context(), f, new(stream.Progress)) }},
		{"channels", func(f files) (report, error) { return channels(b.Context(), f) }},
	} {
		b.Run(version.name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			runtime.GC()
			before, stop, most := inMemory(), make(chan struct{}), make(chan uint64)
			go watch(stop, most)
			for b.Loop() {
				in, err := os.Open(name)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := version.run(files{in, io.Discard, io.Discard}); err != nil {
					b.Fatal(err)
				}
				_ = in.Close()
			}
			close(stop)
			b.ReportMetric(float64(<-most)-float64(before), "peak-B")
		})
	}
}

// watch sends the largest amount of memory in use, measured every five milliseconds.
func watch(stop <-chan struct{}, most chan<- uint64) {
	var peak uint64
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		select {
		case <-tick.C:
			peak = max(peak, inMemory())
		case <-stop:
			tick.Stop()
			most <- peak
			return
		}
	}
}

func inMemory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// The whole pipeline is in one short file. Each line counts, also imports, types, comments and empty ones.
func TestOrchestration(t *testing.T) {
	text, err := os.ReadFile("plan.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n > 70 {
		t.Errorf("plan.go has %d lines, 70 are promised", n)
	}
}
