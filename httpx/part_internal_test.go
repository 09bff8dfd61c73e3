package httpx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestContentRange(t *testing.T) {
	for _, tt := range []struct {
		text               string
		first, last, total int64
		ok                 bool
	}{
		{"bytes 0-0/1", 0, 0, 1, true},
		{"bytes 5-9/10", 5, 9, 10, true},
		{"bytes 5-9/*", 5, 9, -1, true},
		{"bytes 5000000000-4611686018427387902/4611686018427387903", 5_000_000_000, 1<<62 - 2, 1<<62 - 1, true},
		{"bytes 0-9223372036854775807/*", 0, 0, 0, false}, // there is no offset behind it
		{"bytes 0-9223372036854775808/*", 0, 0, 0, false},
		{"bytes 5-9/9", 0, 0, 0, false},
		{"bytes 9-5/10", 0, 0, 0, false},
		{"bytes */10", 0, 0, 0, false},
		{"bytes -5-9/10", 0, 0, 0, false},
		{"bytes +5-9/10", 0, 0, 0, false},
		{"bytes 5-9", 0, 0, 0, false},
		{"bytes 5-9/", 0, 0, 0, false},
		{"bytes=5-9/10", 0, 0, 0, false},
		{"items 5-9/10", 0, 0, 0, false},
		{"bytes 5-9/10, bytes 5-9/10", 0, 0, 0, false},
		{"", 0, 0, 0, false},
	} {
		first, last, total, ok := contentRange(tt.text)
		if first != tt.first || last != tt.last || total != tt.total || ok != tt.ok {
			t.Errorf("%q: %d-%d/%d, %v", tt.text, first, last, total, ok)
		}
	}
}

// A range that is accepted, and written again, is parsed in the same way.
func FuzzContentRange(f *testing.F) {
	for _, text := range []string{"bytes 5-9/10", "bytes 5-9/*", "bytes */10", "bytes 0-18446744073709551616/*", "bytes 007-8/9"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, last, total, ok := contentRange(text)
		if !ok {
			if first != 0 || last != 0 || total != 0 {
				t.Errorf("%q: %d-%d/%d", text, first, last, total)
			}
			return
		}
		if first < 0 || last < first || total >= 0 && total <= last || total < -1 {
			t.Errorf("%q: %d-%d/%d", text, first, last, total)
		}
		length := "*"
		if total >= 0 {
			length = fmt.Sprint(total)
		}
		if a, b, c, ok := contentRange(fmt.Sprintf("bytes %d-%d/%s", first, last, length)); a != first || b != last || c != total || !ok {
			t.Errorf("%q: %d-%d/%d, %v", text, a, b, c, ok)
		}
	})
}

func TestSaveAfterFailedSync(t *testing.T) {
	f := File{URL: "http://a/", Path: filepath.Join(t.TempDir(), "file")}
	p, err := openPart(f)
	if err != nil {
		t.Fatal(err)
	}
	p.validator = `"v1"`
	if err := p.write([]byte("some bytes")); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe() // can't be synced
	if err != nil {
		t.Fatal(err)
	}
	whole := p.file
	p.file = w
	if err := p.save(); err == nil {
		t.Fatal("a pipe was synced")
	}
	p.file = whole
	p.leave()
	if names, err := os.ReadDir(filepath.Dir(f.Path)); len(names) != 0 || err != nil {
		t.Errorf("left %v, %v", names, err)
	}
	if err := errors.Join(r.Close(), w.Close()); err != nil {
		t.Error(err)
	}
}
