package timeline_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/timeline"
)

var update = flag.Bool("update", false, "write the timelines of testdata as the golden ones")

var writers = map[string]func(io.Writer, ...observe.Recording) error{
	"shop.svg":  timeline.WriteSVG,
	"shop.html": timeline.WriteHTML,
	"shop.json": timeline.WriteTrace,
}

func TestGolden(t *testing.T) {
	runs := recordExample(t)
	for name, write := range writers {
		var got bytes.Buffer
		if err := write(&got, runs...); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

var errFull = errors.New("full")

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errFull }

func TestErrorOfWriter(t *testing.T) {
	for name, write := range writers {
		if err := write(failingWriter{}); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
