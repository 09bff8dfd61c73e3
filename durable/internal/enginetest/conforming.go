package enginetest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/futoin-go/asyncsteps/proptest/script"
)

// Conforming is a program of the reference implementation, with its trace.
type Conforming struct {
	Name    string          `json:"name"`
	Program json.RawMessage `json:"program"`
	Expect  *script.Trace   `json:"expect"`
}

// Programs returns all programs of the reference implementation.
func Programs(t *testing.T) (all []Conforming) {
	t.Helper()
	files, err := filepath.Glob("../../proptest/testdata/conformance/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file) //nolint:gosec // it is one of this repository
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, len(text)+1)
		for lines.Scan() {
			if len(bytes.TrimSpace(lines.Bytes())) == 0 {
				continue
			}
			var c Conforming
			if err = json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		}
	}
	return all
}
