package proptest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/futoin-go/asyncsteps/proptest/script"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

var (
	conformanceDir = flag.String("conformance.dir", "testdata/conformance",
		"folder of the .jsonl files with the programs and traces of TestConformance")
	conformanceSeeds = flag.Uint64("conformance.seeds", 5,
		"how many drawn schedules TestConformance tries for each program, beside the plain one")
)

// TestConformance runs programs and compares what happens with their reference
// traces: in the plain order, then in orders drawn from seeds, because a trace
// must not depend on which of several ready flows goes first.
func TestConformance(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(*conformanceDir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no .jsonl files in %s (%v)", *conformanceDir, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			passed, all := 0, records(t, file)
			for _, r := range all {
				if t.Run(r.Name, r.conform) {
					passed++
				}
			}
			t.Logf("%d of %d programs conform", passed, len(all))
		})
	}
}

// record is one line of a file, without the fields that are for people and filters.
type record struct {
	Name    string          `json:"name"`
	Program json.RawMessage `json:"program"`
	Expect  *script.Trace   `json:"expect"`
}

func records(t *testing.T, file string) []record {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []record
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%s, record %d: %v", file, len(all), err)
		}
		if r.Program == nil || r.Expect == nil {
			t.Fatalf("%s, record %d: has no program or no trace", file, len(all))
		}
		all = append(all, r)
	}
	if err := lines.Err(); err != nil || len(all) == 0 {
		t.Fatalf("%s: %d records, %v", file, len(all), err)
	}
	return all
}

func (r record) conform(t *testing.T) {
	p, err := script.Decode(r.Program)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := script.Run(p); !r.same(t, got, err) {
		return
	}
	for seed := range *conformanceSeeds {
		if got, err := script.Run(p, tooltest.WithSeed(seed)); !r.same(t, got, err) {
			t.Errorf("the schedule was drawn from seed %d", seed)
			return
		}
	}
}

func (r record) same(t *testing.T, got *script.Trace, err error) bool {
	t.Helper()
	if err != nil {
		t.Errorf("execution: %v", err)
	}
	if diff := script.Diff(r.Expect, got); diff != "" {
		t.Errorf("%s\nprogram: %s\nwant: %s\ngot:  %s", diff, indented(r.Program), pretty(r.Expect), pretty(got))
	}
	return !t.Failed()
}

func pretty(x any) []byte {
	text, err := json.Marshal(x)
	if err != nil {
		return []byte(err.Error())
	}
	return indented(text)
}

func indented(text []byte) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return text
	}
	return b.Bytes()
}
