package draw_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

var update = flag.Bool("update", false, "write the pictures of testdata as the golden ones")

func same(in int) int { return in }

func unwind(step.Scope, error) step.Next[int] { return step.Unwind[int]() }

// Pictures show the names of functions; a function literal would be named by its line.

func trees(string) map[string]*flow.Tree { return nil }

func full(map[string]*flow.Tree) bool { return true }

func list(flow.Triple[int, int, string]) []int { return nil }

func total(p flow.Triple[int, int, int]) int { return p.A + p.B + p.C }

func ignore(step.Scope) {}

// plans returns plans with the constructs that pictures show in a special way.
func plans() map[string]*flow.Tree {
	s := flow.Named("work", step.Map(same))
	return map[string]*flow.Tree{
		"sequence": flow.Describe(flow.Then(step.Map(trees), step.Map(full))),
		"branches": flow.Describe(flow.Then(flow.Par3(s, flow.Timeout(time.Second, flow.Then(s, s)), flow.Value[int]("x")),
			step.Map(list))),
		"elements": flow.Describe(flow.ParEach(2, flow.Then(s, s))),
		"answers":  flow.Describe(flow.Catch(flow.OnCancel(flow.Then(s, s), ignore), unwind)),
		"loop":     flow.Describe(flow.Then(s, flow.Then(loopx.Loop(flow.Then(s, s)), s))),
		"linger":   flow.Describe(flow.First(flow.Linger(time.Second, flow.Then(s, s)), flow.Linger(time.Minute, s))),
		"graph":    flow.Describe(flow.Catch(graphs(s), unwindTriple)),
		"names":    flow.Describe(flow.Named("a \"b\" <c> & \\N \\\" `d` %%{e} #35; \n\u202e 1. www.f-g [h](i) é", s)),
	}
}

func unwindTriple(step.Scope, error) step.Next[flow.Triple[int, int, int]] {
	return step.Unwind[flow.Triple[int, int, int]]()
}

// graphs returns a diamond whose last node also takes the input. The result is two values and the input.
func graphs(s step.Step[int, int]) flow.Plan[int, flow.Triple[int, int, int]] {
	return flow.Graph(func(in flow.Ref[int]) flow.Ref[flow.Triple[int, int, int]] {
		top := flow.Node(in, s)
		left := flow.Node(top, flow.Then(s, s))
		right := flow.Node(top, s)
		sum := step.Map(total)
		bottom := flow.Node(flow.Join3(left, right, in), sum)
		return flow.Join3(bottom, right, in)
	})
}

var writers = map[string]func(io.Writer, *flow.Tree, ...draw.Marks) error{"Mermaid": draw.Mermaid, "DOT": draw.DOT, "SVG": draw.SVG}

func TestMermaid(t *testing.T) { pictures(t, draw.Mermaid, ".mmd") }

func TestDOT(t *testing.T) { pictures(t, draw.DOT, ".dot") }

func TestSVG(t *testing.T) { pictures(t, draw.SVG, ".svg") }

func pictures(t *testing.T, write func(io.Writer, *flow.Tree, ...draw.Marks) error, ext string) {
	for name, plan := range plans() {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := write(&got, plan); err != nil {
				t.Fatal(err)
			}
			text := strings.Replace(got.String(), draw.Style, "", 1) // the same in each picture
			file := filepath.Join("testdata", name+ext)
			if *update {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), text); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// A Tree may come from a file, so its edges may lead to no node.
func TestEdgesThatLeadNowhere(t *testing.T) {
	for _, edges := range [][][]int{{}, {{0}}, {{5}, {-7}, {2}, {1}}, {{-1}, {0, 9}, nil, nil, {1}}} {
		tree := flow.Describe(graphs(step.Map(same)))
		tree.Holds[0].Edges = edges
		for name, write := range writers {
			var got bytes.Buffer
			if err := write(&got, tree); err != nil || name != "SVG" && strings.Contains(got.String(), "-1") {
				t.Errorf("%s of %v: %v\n%s", name, edges, err, got.String())
			}
		}
	}
}

type broken struct{ left int }

var errFull = errors.New("full")

func (b *broken) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestBadArguments(t *testing.T) {
	for name, write := range writers {
		if err := write(io.Discard, nil); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("%s of nil: %v", name, err)
		}
		if err := write(&broken{}, plans()["loop"]); !errors.Is(err, errFull) {
			t.Errorf("%s to a full disk: %v", name, err)
		}
	}
}
