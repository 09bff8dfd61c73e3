package stream_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/stream"
)

// withLength splits off records that begin with their length, in one byte.
func withLength(data []byte, atEOF bool) (advance int, token []byte, err error) {
	switch {
	case len(data) == 0:
		return 0, nil, nil
	case len(data) > int(data[0]):
		return 1 + int(data[0]), data[1 : 1+int(data[0])], nil
	case atEOF:
		return 0, nil, io.ErrUnexpectedEOF
	default:
		return 0, nil, nil
	}
}

func TestRecords(t *testing.T) {
	broken := fault.New("Broken", "a broken reader")
	for _, test := range []struct {
		reason string
		in     io.Reader
		split  bufio.SplitFunc
		want   []string
		fails  error
	}{
		{"words", strings.NewReader("one two\nthree"), bufio.ScanWords, []string{"one", "two", "three"}, nil},
		{"lengths", strings.NewReader("\x03one\x00\x05three"), withLength, []string{"one", "", "three"}, nil},
		{"byte by byte", iotest.OneByteReader(strings.NewReader("\x03one\x03two")), withLength, []string{"one", "two"}, nil},
		{"nothing", strings.NewReader(""), withLength, nil, nil},
		{"no reader", nil, withLength, nil, nil},
		{"a record is cut off", strings.NewReader("\x03one\x05thr"), withLength, []string{"one"}, io.ErrUnexpectedEOF},
		{"the reader fails", io.MultiReader(strings.NewReader("\x03one"), iotest.ErrReader(broken)), withLength, []string{"one"}, broken},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var got []string
			plan := stream.ForEach(stream.Records[io.Reader](2, test.split), func(text string) error {
				got = append(got, text)
				return nil
			})
			if _, err := flow.Run(t.Context(), plan, test.in); !errors.Is(err, test.fails) {
				t.Errorf("failed with %v, want %v", err, test.fails)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
		})
	}
}

func ExampleRecords() {
	// each record begins with its length, in two bytes
	split := func(data []byte, _ bool) (advance int, token []byte, err error) {
		if len(data) < 2 {
			return 0, nil, nil
		}
		end := 2 + int(binary.BigEndian.Uint16(data))
		if len(data) < end {
			return 0, nil, nil
		}
		return end, data[2:end], nil
	}
	records := stream.Collect(stream.Records[io.Reader](100, split))
	fmt.Println(flow.Run(ctx, records, io.Reader(strings.NewReader("\x00\x03one\x00\x05three"))))
	// Output: [one three] <nil>
}
