package difftest_test

import (
	"encoding/json"
	"errors"
	"flag"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/proptest/script"
)

var (
	seed  = flag.Uint64("seed", 1, "what TestDiff draws its programs from")
	count = flag.Int("count", 200, "how many programs TestDiff compares")
)

// TestDiff compares random programs. A failing one is shrunk before it is reported.
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
	equal, reordered := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := programs(t)
		ours := run(t, p)
		theirs, err := js.run(p)
		if err != nil {
			t.Fatalf("node: %v\nprogram: %s", err, pretty(p))
		}
		diff := script.Diff(theirs, ours)
		switch {
		case diff == "":
			equal++
		case possible(p, theirs):
			reordered++
		default:
			t.Fatalf("%s\nprogram: %s\nnode: %s\nhere: %s", diff, pretty(p), pretty(theirs), pretty(ours))
		}
	})
	t.Logf("%d programs give the same trace, %d more give it in another order of what happens at once", equal, reordered)
	if !t.Failed() && equal < 99*reordered {
		t.Error("too many programs depend on that order, which hides differences")
	}
}

// run returns the trace of a program in the order of the real loops.
func run(t *rapid.T, p *script.Program) *script.Trace {
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := script.Decode(text); err != nil {
		t.Fatalf("%v\nprogram: %s", err, pretty(p))
	}
	trace, err := script.Run(p)
	if err != nil {
		t.Fatalf("here: %v\nprogram: %s", err, pretty(p))
	}
	return trace
}

// maxDelays and maxOrders bound the search of possible: how far the orders depart from the usual one, and how many are
// tried for each distance.
const (
	maxDelays = 3
	maxOrders = 1000
)

var errPossible = errors.New("this order gives the trace")

// possible reports whether it finds an order of what happens at once in which the program gives the trace, because that
// order isn't specified. Orders close to the usual one are tried first.
func possible(p *script.Program, trace *script.Trace) bool {
	for delays := range maxDelays {
		found := explore.All(explore.Bounds{Delays: delays + 1, Schedules: maxOrders}, func(x *explore.Trial) error {
			got, err := script.RunOn(p, x.Loop(), func() []error { return append(x.Loop().Errors(), x.Run()) })
			if err == nil && script.Diff(trace, got) == "" {
				return errPossible
			}
			return nil
		})
		if found.Failure != nil {
			return true
		}
	}
	return false
}

func pretty(x any) []byte {
	text, err := json.Marshal(x)
	if err != nil {
		return []byte(err.Error())
	}
	return text
}
