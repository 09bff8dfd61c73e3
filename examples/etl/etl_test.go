package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/stream"
)

func orders(tb testing.TB, size int64) []byte {
	tb.Helper()
	var b bytes.Buffer
	if _, err := generate(&b, size); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// Both versions do the same; this one keeps the order of lines.
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
	if r.Counts.Taken != n || r.Counts.Dead != n/1000 || r.Counts.Passed != n-n/1000 || r.Counts.Lost != 0 {
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

// stopper cancels in the middle.
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

// Interrupted, it has written what it says, and each line that it has read is priced, dead or left over, once.
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
	if c.Taken == 0 || c.Passed+c.Dead+c.Lost != c.Taken || int64(strings.Count(dead.String(), "\n")) != c.Dead+c.Lost {
		t.Errorf("%+v, %d dead letters", c, strings.Count(dead.String(), "\n"))
	}
	if n := int64(strings.Count(out.String(), "\n")); n != c.Passed || int64(out.Len()) != r.Bytes {
		t.Errorf("%d lines were written of %d", n, c.Passed)
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

// Both versions in one run: -bench ETL -benchmem.
func BenchmarkETL(b *testing.B) {
	in := orders(b, 32<<20)
	b.Run("stream", func(b *testing.B) {
		b.SetBytes(int64(len(in)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := etl(b.Context(), files{bytes.NewReader(in), io.Discard, io.Discard}, new(stream.Progress)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("channels", func(b *testing.B) {
		b.SetBytes(int64(len(in)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := channels(b.Context(), files{bytes.NewReader(in), io.Discard, io.Discard}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
