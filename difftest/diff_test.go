package difftest_test

import (
	"encoding/json"
	"flag"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/proptest/script"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

var (
	seed  = flag.Uint64("seed", 1, "what TestDiff draws its programs from")
	count = flag.Int("count", 200, "how many programs TestDiff compares")
)

// schedules is the number of orders in which a program is run. It is compared only if all give the same trace.
const schedules = 8

// TestDiff compares random programs. A failing one is shrunk before it is
// reported.
func TestDiff(t *testing.T) {
	js := startNode(t)
	for name, value := range map[string]string{
		"rapid.seed":       strconv.FormatUint(*seed, 10),
		"rapid.checks":     strconv.Itoa(*count),
		"rapid.nofailfile": "true",
	} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	compared, dropped := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := programs(t)
		ours, ok := settled(t, p)
		if !ok {
			dropped++
			return
		}
		theirs, err := js.run(p, false)
		if err != nil {
			t.Fatalf("node: %v\nprogram: %s", err, pretty(p))
		}
		again, err := js.run(p, true)
		if err != nil || script.Diff(theirs, again) != "" {
			dropped++
			return
		}
		compared++
		if diff := script.Diff(theirs, ours); diff != "" {
			t.Fatalf("%s\nprogram: %s\nnode: %s\nhere: %s", diff, pretty(p), pretty(theirs), pretty(ours))
		}
	})
	t.Logf("%d programs compared, %d dropped because they depend on the order of what happens at once", compared, dropped)
	if !t.Failed() && compared < dropped {
		t.Error("too few programs are left to compare")
	}
}

// settled returns the trace of a program. ok is false if the trace depends on the order of things that are ready at the
// same time, because that order isn't specified.
func settled(t *rapid.T, p *script.Program) (*script.Trace, bool) {
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := script.Decode(text); err != nil {
		t.Fatalf("%v\nprogram: %s", err, pretty(p))
	}
	first, err := script.Run(p)
	if err != nil {
		t.Fatalf("here: %v\nprogram: %s", err, pretty(p))
	}
	for seed := range uint64(schedules) {
		other, err := script.Run(p, tooltest.WithSeed(seed))
		if err != nil {
			t.Fatalf("here, with seed %d: %v\nprogram: %s", seed, err, pretty(p))
		}
		if script.Diff(first, other) != "" {
			return nil, false
		}
	}
	return first, true
}

func pretty(x any) []byte {
	text, err := json.Marshal(x)
	if err != nil {
		return []byte(err.Error())
	}
	return text
}
