package growth_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/counters"
)

// numbers are the n of the cases.
var numbers = []int{1000, 2000, 4000}

// most bounds how many times more a case may count for the last of the numbers than for the first: four times is linear,
// 4.8 times n log n, 16 times quadratic.
const most = 6

// measured holds the counts of a case, one for each of the numbers.
type measured struct {
	statements, bytes []float64
	places            []map[string]float64 // statements, by place in the code
}

// TestGrowth checks that no case counts more than most times as much for the last of the numbers: see the package's documentation.
func TestGrowth(t *testing.T) {
	cases, names := measure(t)
	if len(names) < 50 {
		t.Errorf("only %d cases", len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			m := cases[name]
			t.Logf("statements %.0f, bytes %.0f", m.statements, m.bytes)
			last := len(numbers) - 1
			if m.statements[0] == 0 {
				t.Fatal("no statement was counted")
			}
			if grown := m.statements[last] / m.statements[0]; grown > most {
				t.Errorf("statements grow %.1f times when n does four times: %.0f\n%s", grown, m.statements, m.fastest())
			}
			const noise = 1 << 18 // what the runtime allocates now and then
			if grown := (m.bytes[last] - noise) / (m.bytes[0] + 1); grown > most {
				t.Errorf("bytes grow %.1f times when n does four times: %.0f", grown, m.bytes)
			}
		})
	}
}

// fastest lists up to five places: those that exceed most by the largest numbers.
func (m *measured) fastest() string {
	first, last := m.places[0], m.places[len(numbers)-1]
	beyond := func(place string) float64 { return last[place] - first[place]*most }
	all := slices.SortedFunc(maps.Keys(last), func(a, b string) int { return cmp.Compare(beyond(b), beyond(a)) })
	var text strings.Builder
	for _, place := range all[:min(5, len(all))] {
		fmt.Fprintf(&text, "%s: %.0f, %.0f\n", place, first[place], last[place])
	}
	return text.String()
}

// measure executes the program, and returns the counts of its cases, and their names in order.
func measure(t *testing.T) (cases map[string]*measured, names []string) {
	folder := t.TempDir()
	args := []string{folder}
	for _, n := range numbers {
		args = append(args, strconv.Itoa(n))
	}
	printed, err := counters.Run(t.Context(), "./program", args...)
	if err != nil {
		t.Fatal(err)
	}
	cases = make(map[string]*measured)
	for line := range strings.Lines(printed) {
		line = strings.TrimSpace(line)
		rest, bytes := cut(t, line)
		name, n := cut(t, rest)
		m := cases[name]
		if m == nil {
			m = new(measured)
			cases[name], names = m, append(names, name)
		}
		places, sum := statements(t, fmt.Sprintf("%s/%s-%d", folder, name, n))
		m.bytes, m.statements, m.places = append(m.bytes, float64(bytes)), append(m.statements, sum), append(m.places, places)
	}
	return cases, names
}

func cut(t *testing.T, line string) (before string, n int) {
	at := strings.LastIndexByte(line, ' ')
	n, err := strconv.Atoi(line[at+1:])
	if at < 0 || err != nil {
		t.Fatalf("what is %q?", line)
	}
	return line[:at], n
}

// statements returns how many statements of the project were executed at each place and together, by the counters in a
// folder. It leaves out package tooltest and the program itself.
func statements(t *testing.T, folder string) (places map[string]float64, sum float64) {
	blocks, err := counters.Read(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	places = make(map[string]float64)
	for _, b := range blocks {
		if strings.Contains(b.File, "/tooltest/") || strings.Contains(b.File, "/growth/") {
			continue
		}
		n := float64(b.Statements) * float64(b.Times)
		places[b.File+":"+b.Place] = n
		sum += n
	}
	return places, sum
}
