package difftest_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/futoin-go/asyncsteps/proptest/script"
)

// The Node side gives the reference traces, which were recorded with the same package. Otherwise a difference would
// prove nothing.
func TestReferenceTraces(t *testing.T) {
	js := startNode(t)
	for _, name := range []string{"hand-01", "gen-01", "gen-02"} {
		f, err := os.Open("../proptest/testdata/conformance/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		passed, all := 0, 0
		for ; lines.Scan(); all++ {
			var r struct {
				Name    string          `json:"name"`
				Program json.RawMessage `json:"program"`
				Expect  *script.Trace   `json:"expect"`
			}
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			p, err := script.Decode(r.Program)
			if err != nil {
				t.Fatalf("%s: %v", r.Name, err)
			}
			got, err := js.run(p)
			if err != nil {
				t.Errorf("%s: %v", r.Name, err)
				continue
			}
			if diff := script.Diff(r.Expect, got); diff != "" {
				t.Errorf("%s: %s", r.Name, diff)
				continue
			}
			passed++
		}
		t.Logf("%s: %d of %d", name, passed, all)
	}
}
