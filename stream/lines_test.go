package stream_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for text, want := range map[string][]string{
		"":                         nil,
		"\n":                       {""},
		"a":                        {"a"},
		"a\nb":                     {"a", "b"},
		"a\r\nb\r\n\n":             {"a", "b", ""},
		"a\n" + long + "\nb":       {"a", long, "b"},
		strings.Repeat("ab\n", 60): strings.Split(strings.TrimSpace(strings.Repeat("ab\n", 60)), "\n"),
	} {
		for name, in := range map[string]io.Reader{
			"at once":      strings.NewReader(text),
			"byte by byte": iotest.OneByteReader(strings.NewReader(text)),
			"with EOF":     iotest.DataErrReader(strings.NewReader(text)),
		} {
			got, err := flow.Run(t.Context(), stream.Collect(stream.Lines[io.Reader](3)), in)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%.20q, %s: %v (-want +got)\n%s", text, name, err, diff)
			}
		}
	}
	if n, err := flow.Run(t.Context(), stream.Count(stream.Lines[io.Reader](1)), nil); n != 0 || err != nil {
		t.Error(n, err)
	}
}

func TestLinesFails(t *testing.T) {
	seen := 0
	in := io.MultiReader(strings.NewReader("a\nb\nc"), iotest.ErrReader(errOdd))
	_, err := flow.Run(t.Context(), stream.ForEach(stream.Lines[io.Reader](3), func(string) error { seen++; return nil }), in)
	if !errors.Is(err, errOdd) || seen != 3 {
		t.Errorf("%d lines, %v", seen, err)
	}
	_, err = flow.Run(t.Context(), stream.Count(stream.Lines[io.Reader](3)), io.LimitReader(endless{}, 20<<20))
	if !errors.Is(err, fault.InvalidRequest) {
		t.Errorf("got %v", err)
	}
}

// A line and its end have 16 MiB at most, and so has a last line without an end.
func TestLongestLine(t *testing.T) {
	const longest = 16 << 20
	text := "a\n" + strings.Repeat("x", longest) + "\n"
	for _, test := range []struct {
		reason string
		text   string
		want   int
		fails  error
	}{
		{"with its end", text[:longest+1] + "\n", 2, nil},
		{"with its end, and a line behind", text[:longest+1] + "\nb", 3, nil},
		{"without an end", text[:longest+2], 2, nil},
		{"too long with its end", text, 1, fault.InvalidRequest},
		{"too long without an end", text[:longest+2] + "x", 1, fault.InvalidRequest},
	} {
		for name, source := range map[string]stream.Stream[io.Reader, string]{
			"lines":   stream.Lines[io.Reader](3),
			"records": stream.Records[io.Reader](3, bufio.ScanLines),
		} {
			t.Run(test.reason+"/"+name, func(t *testing.T) {
				fails := test.fails
				if fails != nil && name == "records" {
					fails = bufio.ErrTooLong
				}
				n, _, err := stream.Run(t.Context(), stream.Count(source), io.Reader(strings.NewReader(test.text)))
				if n != test.want || !errors.Is(err, fails) {
					t.Errorf("%d lines, %v, want %d, %v", n, err, test.want, fails)
				}
			})
		}
	}
}

// A reader without line ends that doesn't block ends with the stream, and one that gives nothing fails.
func TestLinesOfAReaderThatNeverEnds(t *testing.T) {
	if _, err := flow.Run(t.Context(), stream.Count(stream.Lines[nothing](1)), nothing{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	reads := 0
	_, err := flow.Run(ctx, stream.Count(stream.Lines[readerFunc](1)), readerFunc(func(p []byte) (int, error) {
		if reads++; reads == 3 {
			cancel()
		}
		p[0] = 'a'
		return 1, nil
	}))
	if fault.CodeOf(err) != fault.Cancelled || reads != 3 {
		t.Errorf("%d reads, %v", reads, err)
	}
}

type nothing struct{}

func (nothing) Read([]byte) (int, error) { return 0, nil }

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
