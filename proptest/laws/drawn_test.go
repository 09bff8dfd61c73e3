package laws_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var writeDrawn = flag.Bool("drawn", false, "have TestDrawnPrograms write its file instead of comparing it")

const (
	drawnFile     = "../testdata/drawn.jsonl"
	drawnPrograms = 150
)

// The file has what the generator draws: programs with goroutines, in which nothing but timers decides what comes first. Modules
// that can't import the generator read it.
func TestDrawnPrograms(t *testing.T) {
	var got bytes.Buffer
	write := json.NewEncoder(&got)
	for i := range drawnPrograms {
		p := programs(shape{size: 5 + i%40, await: true, quiet: true, serial: true, unguarded: true}).Filter(awaits).Example(i)
		if err := write.Encode(drawnProgram{drawnOf(p.plan), p.input}); err != nil {
			t.Fatal(err)
		}
	}
	if *writeDrawn {
		if err := os.WriteFile(drawnFile, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(drawnFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s isn't what the generator draws: run this test with -drawn", drawnFile)
	}
}

// awaits reports whether p has goroutines.
func awaits(p *program) (found bool) {
	p.plan.visit(func(n *node) { found = found || n.kind == kAwait })
	return found
}

// drawnProgram is a program in JSON.
type drawnProgram struct {
	Plan  *drawnNode `json:"plan"`
	Input int        `json:"input"`
}

// drawnNode is a node in JSON. Durations are in milliseconds.
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

// drawnBody is a body in JSON.
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

// String returns the name of the kind in JSON.
func (k kind) String() string {
	return [...]string{
		"map", "func", "new", "await", "value", "chain", "catch", "limit", "hook", "named", "call", "copy", "par", "each", "repeat",
		"loop", "list", "sync", "retry", "try", "carry", "race", "shield", "grace", "bracket", "saga", "graph", "tasks", "undo",
	}[k]
}

// The generator keeps to the shape of the file.
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
