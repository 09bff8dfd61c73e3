package mistakes_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/proptest/explore"
)

var (
	tableSeeds = flag.Int("mistakes.seeds", 0, "print the table of docs/internals/schedules.md, with medians of so many seeds")
	tableLimit = flag.Int("mistakes.limit", 10_000, "how many schedules a search of the table tries")
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var families = [][]mistake{values, locks, messages, cancels, counts, rare}

type search func(limit int, body explore.Body)

func exhaustive(limit int, body explore.Body) { explore.All(explore.Bounds{Schedules: limit}, body) }

func drawn(seed uint64) search {
	return func(limit int, body explore.Body) { explore.Drawn(seed, limit, body) }
}

// check searches as a test does, from its fixed seed.
func check(limit int, body explore.Body) {
	explore.Check(quiet{}, explore.Bounds{Schedules: limit}, body)
}

// quiet stands for the t of a test.
type quiet struct{ testing.TB }

func (quiet) Helper()             {}
func (quiet) Name() string        { return "" }
func (quiet) Fatal(...any)        {}
func (quiet) Logf(string, ...any) {}

// even draws each answer by chance.
func even(seed uint64) search {
	return func(limit int, body explore.Body) {
		for i := range limit {
			if _, err := explore.Try(rand.New(rand.NewPCG(seed, uint64(i))).IntN, body); err != nil {
				return
			}
		}
	}
}

// found returns the number of the first trial in which a body fails, 0 if none does.
func found(limit int, search search, body explore.Body) int {
	trials, failed := 0, 0
	search(limit, func(x *explore.Trial) error {
		if failed > 0 { // the schedule is being simplified
			return nil
		}
		trials++
		err := body(x)
		if err != nil {
			failed = trials
		}
		return err
	})
	return failed
}

// median returns the median of found over an odd number of seeds, 0 if most of them don't find it.
func median(seeds, limit int, search func(seed uint64) search, body explore.Body) int {
	var all []int
	missed := 0
	for seed := range uint64(seeds) {
		n := found(limit, search(seed), body)
		if n > 0 {
			all = append(all, n)
		} else if missed++; missed > seeds/2 {
			return 0
		}
	}
	slices.Sort(all)
	return all[seeds/2]
}

// Each mistake is found, and nothing is found without it. The plain order shows none of them.
func TestMistakesAreFound(t *testing.T) {
	const drawnLimit, partsLimit = 10_000, 200
	seeds, fixedLimit := 3, 200
	if testing.Short() || racetest.Enabled { // the race detector finds nothing in a search by one goroutine
		seeds, fixedLimit = 1, 30
	}
	for _, m := range slices.Concat(families...) {
		body, fixed := m.test(false, false), m.test(true, false)
		if err := explore.Replay(nil, body); err != nil {
			t.Errorf("%s: the plain order shows it: %v", m.name, err)
		}
		for seed := range uint64(seeds) {
			if found(drawnLimit, drawn(seed), body) == 0 {
				t.Errorf("%s: not found by %d schedules drawn from the seed %d", m.name, drawnLimit, seed)
			}
		}
		if m.apart {
			if found(partsLimit, exhaustive, m.test(false, true)) == 0 {
				t.Errorf("%s: not found by the first %d schedules of its parts", m.name, partsLimit)
			}
			mended(t, m.name, explore.All(explore.Bounds{Schedules: fixedLimit}, m.test(true, true)))
		}
		mended(t, m.name, explore.All(explore.Bounds{Schedules: fixedLimit}, fixed))
		mended(t, m.name, explore.Drawn(1, fixedLimit, fixed))
	}
}

func mended(t *testing.T, name string, r explore.Result) {
	t.Helper()
	if r.Failure != nil {
		t.Errorf("%s: mended, and it fails under the schedule %v: %v", name, r.Failure.Schedule, r.Failure.Err)
	}
}

// TestTable makes the table. Without the flag it only tries few schedules, to show that the table can be made.
func TestTable(t *testing.T) {
	seeds, limit := *tableSeeds, *tableLimit
	if seeds == 0 {
		seeds, limit = 1, 10
	}
	var b strings.Builder
	b.WriteString("| Mistake | What goes wrong | All | Parts | Even | Drawn | Check |\n|---|---|--:|--:|--:|--:|--:|\n")
	for _, m := range slices.Concat(families...) {
		body, parts := m.test(false, false), ""
		if m.apart {
			parts = cell(found(limit, exhaustive, m.test(false, true)))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", m.name, m.what, cell(found(limit, exhaustive, body)), parts,
			cell(median(seeds, limit, even, body)), cell(median(seeds, limit, drawn, body)), cell(found(limit, check, body)))
	}
	if lines := strings.Count(b.String(), "\n"); lines < 30 {
		t.Errorf("the table has %d lines", lines)
	}
	if *tableSeeds > 0 {
		t.Logf("\n%s", b.String())
	}
}

func cell(n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprint(n)
}

// The page lists the current mistakes.
func TestPageHasAllMistakes(t *testing.T) {
	page, err := os.ReadFile("../../../docs/internals/schedules.md")
	if err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(string(page), "\n## What follows")
	rows := strings.Count(table, "\n| ") - 1 // less the head
	if all := slices.Concat(families...); len(all) != rows {
		t.Errorf("the page has %d mistakes, want %d", rows, len(all))
	}
	for _, m := range slices.Concat(families...) {
		if row := fmt.Sprintf("\n| %s | %s |", m.name, m.what); !strings.Contains(string(page), row) {
			t.Errorf("the page lacks %s", row)
		}
	}
}
