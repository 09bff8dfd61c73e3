package laws_test

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var addDrawn = flag.Bool("drawn", false, "have TestDrawnPrograms add programs to its file, if that lacks a kind")

const drawnFile = "../testdata/drawn.jsonl"

// drawnOften is how often each kind must occur in the file at least.
const drawnOften = 3

// TestDrawnPrograms checks the file of drawn programs, which is for modules that can't import the generator. Its programs
// use goroutines, and nothing but timers decides what comes first. A change of the generator needs no new file unless
// there is a new kind.
func TestDrawnPrograms(t *testing.T) {
	text, err := os.ReadFile(drawnFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	count := map[string]int{}
	for i, line := range lines {
		var p drawnProgram
		read := json.NewDecoder(strings.NewReader(line))
		read.DisallowUnknownFields()
		if err := read.Decode(&p); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		p.Plan.count(count)
	}
	if *addDrawn {
		addPrograms(t, len(lines), count)
		return
	}
	for _, name := range drawnKinds() {
		if count[name] < drawnOften {
			t.Errorf("%s has %d of the kind %q: run this test with -drawn", drawnFile, count[name], name)
		}
	}
}

var drawnShape = shape{await: true, quiet: true, serial: true, unguarded: true}

func drawnKinds() (names []string) {
	g := &generator{shape: drawnShape, sagas: 1}
	for _, c := range constructs {
		if c.weight != nil && c.weight(g, place{leaf: 6, inner: 6}) > 0 {
			names = append(names, c.name)
		}
	}
	return names
}

func addPrograms(t *testing.T, n int, count map[string]int) {
	f, err := os.OpenFile(drawnFile, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	write := json.NewEncoder(f)
	lacks := func(name string) bool { return count[name] < drawnOften }
	kinds := drawnKinds()
	for i := n; slices.ContainsFunc(kinds, lacks); i++ {
		sh := drawnShape
		sh.size = 5 + i%40
		p := programs(sh).Filter(awaits).Example(i)
		drawn, has := drawnProgram{drawnOf(p.plan), p.input}, map[string]int{}
		drawn.Plan.count(has)
		if !slices.ContainsFunc(kinds, func(name string) bool { return has[name] > 0 && lacks(name) }) {
			continue
		}
		if err := write.Encode(drawn); err != nil {
			t.Fatal(err)
		}
		drawn.Plan.count(count)
	}
}

func (d *drawnNode) count(times map[string]int) {
	times[d.Kind]++
	for _, kid := range d.Kids {
		kid.count(times)
	}
	for _, b := range []*drawnBody{d.Body, d.Handler} {
		if b != nil && b.Kid != nil {
			b.Kid.count(times)
		}
	}
}

func awaits(p *program) (found bool) {
	p.plan.visit(func(n *node) { found = found || n.kind == kAwait })
	return found
}

type drawnProgram struct {
	Plan  *drawnNode `json:"plan"`
	Input int        `json:"input"`
}

// Durations are in milliseconds.
type drawnNode struct {
	Kind    string       `json:"kind"`
	ID      int          `json:"id"`
	Kids    []*drawnNode `json:"kids,omitempty"`
	Body    *drawnBody   `json:"body,omitempty"`
	Handler *drawnBody   `json:"handler,omitempty"`
	Limit   int          `json:"limit,omitempty"`
	N       int          `json:"n,omitempty"`
	Flavour int          `json:"flavour,omitempty"`
	Label   int          `json:"label,omitempty"`
}

type drawnBody struct {
	ID       int        `json:"id"`
	Way      string     `json:"way"`
	Code     string     `json:"code,omitempty"`
	Wait     int        `json:"wait,omitempty"`
	Kid      *drawnNode `json:"kid,omitempty"`
	Label    int        `json:"label,omitempty"`
	N        int        `json:"n,omitempty"`
	Limit    int        `json:"limit,omitempty"`
	Hook     bool       `json:"hook,omitempty"`
	Cleanups int        `json:"cleanups,omitempty"`
}

func drawnOf(n *node) *drawnNode {
	d := &drawnNode{
		Kind: n.kind.String(), ID: n.id, Body: drawnBodyOf(n.body), Handler: drawnBodyOf(n.h),
		Limit: int(n.limit / time.Millisecond), N: n.n, Flavour: n.flav, Label: n.label,
	}
	for _, kid := range n.kids {
		d.Kids = append(d.Kids, drawnOf(kid))
	}
	return d
}

func drawnBodyOf(b *body) *drawnBody {
	if b == nil {
		return nil
	}
	d := &drawnBody{
		ID: b.id, Way: b.way.String(), Code: string(b.code), Wait: int(b.wait / time.Millisecond), Label: b.label, N: b.n,
		Limit: int(b.resources.limit / time.Millisecond), Hook: b.resources.hook, Cleanups: b.resources.cleanups,
	}
	if b.kid != nil {
		d.Kid = drawnOf(b.kid)
	}
	return d
}

func TestUnguarded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := programs(shape{await: true, unguarded: true}).Draw(t, "program")
		p.plan.visit(func(n *node) {
			if n.kind == kSync || len(p.guards) != 0 {
				t.Fatal("it has a guard")
			}
		})
	})
}
