package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// printed has three rounds of benchmarks. In the second one the steps take ten times as long as in the first, and in the third
// the difference between two sizes is noise.
const printed = `
date: 2026-01-02
round: 1
others: 3 %
BenchmarkSteps/col=asyncsteps/n=1-2 100 100 ns/op 110 cpu-ns/op 0 B/op 0 allocs/op
BenchmarkSteps/col=floor/n=1-2 100 10 ns/op 10 cpu-ns/op 0 B/op 0 allocs/op
BenchmarkSteps/col=asyncsteps/n=16-2 100 190 ns/op 260 cpu-ns/op 0 B/op 0 allocs/op
BenchmarkSteps/col=floor/n=16-2 100 40 ns/op 55 cpu-ns/op 0 B/op 0 allocs/op
BenchmarkSuspended/col=asyncsteps/n=1000000-2 1 5 ns/op 300 B/flow
BenchmarkStepOfC-2 100 20 ns/op 10 ns/step
BenchmarkStreamMemory/col=rill-2 7 20 ns/op 640 peak-B 3 stop-ns
BenchmarkCgo/callback-2 100 5 ns/op
round: 2
others: 50 %
BenchmarkSteps/col=asyncsteps/n=1-2 100 1000 ns/op 1100 cpu-ns/op 0 B/op 0 allocs/op
BenchmarkSteps/col=floor/n=1-2 100 100 ns/op 100 cpu-ns/op 0 B/op 0 allocs/op
BenchmarkSteps/col=asyncsteps/n=16-2 100 1900 ns/op 2600 cpu-ns/op 0 B/op 0 allocs/op
BenchmarkSteps/col=floor/n=16-2 100 400 ns/op 550 cpu-ns/op 0 B/op 0 allocs/op
round: 3
others: 9 %
BenchmarkSteps/col=asyncsteps/n=1-2 100 300 ns/op 330 cpu-ns/op 0 B/op 0 allocs/op
BenchmarkSteps/col=floor/n=1-2 100 10 ns/op 10 cpu-ns/op 0 B/op 0 allocs/op
BenchmarkSteps/col=asyncsteps/n=16-2 100 290 ns/op 310 cpu-ns/op 0 B/op 0 allocs/op
BenchmarkSteps/col=floor/n=16-2 100 40 ns/op 55 cpu-ns/op 0 B/op 0 allocs/op
`

func figuresOf(t *testing.T, text string) *figures {
	t.Helper()
	f, err := read(strings.NewReader(text), "figures")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestJudge(t *testing.T) {
	f := figuresOf(t, printed)
	floor := quantity{row: "Steps", column: "floor", size: 16, from: 1}
	for _, c := range []struct {
		reason string
		budget budget
		want   result
	}{
		{
			"a load that slows down both sides leaves the ratio as it is",
			budget{ours: plain, peer: floor, most: 3, limit: "≤ 3 ×", noAllocs: true},
			result{"6.00 ns", "0", "2.00 ns", "3.00", "3.00 – 3.00", "3.33", "≤ 3 ×, no allocs", "yes"},
		},
		{
			"one more is too much",
			budget{ours: plain, peer: floor, most: 2.9, limit: "≤ 2.9 ×"},
			result{"6.00 ns", "0", "2.00 ns", "3.00", "3.00 – 3.00", "3.33", "≤ 2.9 ×", "**no**"},
		},
		{
			"a number instead of a peer",
			budget{
				ours: quantity{row: "Suspended", column: us, size: 1e6, unit: "B/flow"},
				peer: quantity{exact: 400}, most: 1, limit: "≤ 400 B",
			},
			result{"300 B", unknown, "", "0.75", "0.75 – 0.75", unknown, "≤ 400 B", "yes"},
		},
		{
			"benchmarks of another package, a small ratio",
			budget{
				ours: quantity{row: "StepOfC", unit: "ns/step"}, peer: quantity{row: "Cgo", column: "callback"},
				most: 1. / 50, limit: "≤ 1/50",
			},
			result{"10.0 ns", unknown, "5.00 ns", "1/0.50", "1/0.50 – 1/0.50", unknown, "≤ 1/50", "**no**"},
		},
		{
			"what wasn't measured has no verdict",
			budget{ours: quantity{row: "Run", column: us}, peer: quantity{row: "Run", column: "goroutine"}, limit: "≤ ¼"},
			result{unknown, unknown, unknown, unknown, unknown, unknown, "≤ ¼", unknown},
		},
	} {
		if got := c.budget.judge(f); got != c.want {
			t.Errorf("%s:\n got %v\nwant %v", c.reason, got, c.want)
		}
	}
}

// An allocation breaks a budget that allows none, even if the time is right.
func TestJudgeAllocations(t *testing.T) {
	f := figuresOf(t, strings.ReplaceAll(printed, "260 cpu-ns/op 0 B/op 0 allocs", "260 cpu-ns/op 0 B/op 15 allocs"))
	floor := quantity{row: "Steps", column: "floor", size: 16, from: 1}
	got := budget{ours: plain, peer: floor, most: 3, noAllocs: true}.judge(f)
	if got.allocs != "1" || got.verdict != "**no**" {
		t.Errorf("got %v", got)
	}
}

func TestPage(t *testing.T) {
	var page bytes.Buffer
	if err := write(&page, figuresOf(t, printed)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"- Date: 2026-01-02\n",
		"- Rounds: 3\n",
		": 3 % in one round to 50 % in another\n",
		"| Steps | 16 | floor | 40.0 |  | 55.0 | 0 | 0 |  | 0.14 |\n",
		"| StepOfC |  |  | 20.0 |  |  |  |  | 10.0 ns/step |  |\n",
		"| StreamMemory |  | rill | 20.0 |  |  |  |  | 640 peak-B, 3 stop-ns |  |\n",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("there is no %q in\n%s", want, page.String())
		}
	}
}

func TestReadReportsNonsense(t *testing.T) {
	for _, text := range []string{
		"BenchmarkSteps/col=floor/n=many-2 100 10 ns/op\n",
		"BenchmarkSteps/col=floor/n=1-2 100 ten ns/op\n",
	} {
		if _, err := read(strings.NewReader(text), "figures"); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
}

// The page in the repository is that of the figures beside it, and these have everything that budgets and pictures show.
func TestResults(t *testing.T) {
	folder := filepath.Join("..", "..", "docs", "benchmarks")
	raw, err := os.ReadFile(filepath.Join(folder, "raw.txt"))
	if err != nil {
		t.Fatal(err)
	}
	f := figuresOf(t, string(raw))
	for _, b := range budgets {
		if len(b.ours.rounds(f)) == 0 || b.peer.exact == 0 && len(b.peer.rounds(f)) == 0 {
			t.Errorf("%s, against %s: not measured", b.work, b.peerName)
		}
	}
	for _, c := range charts {
		for _, l := range c.lines {
			if len(l.points(f)) == 0 {
				t.Errorf("%s: %s was not measured", c.file, l.label)
			}
		}
	}
	var page bytes.Buffer
	if err := write(&page, f); err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile(filepath.Join(folder, "results.md"))
	if err != nil {
		t.Fatal(err)
	}
	if page.String() != string(committed) {
		t.Error("results.md is not of raw.txt: go run ./report makes it anew")
	}
}

func TestDraw(t *testing.T) {
	folder, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	f := figuresOf(t, printed)
	if err := charts[0].draw(f, folder); err != nil {
		t.Fatal(err)
	}
	svg, err := folder.ReadFile("depth.svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range charts[0].lines {
		if shown := bytes.Contains(svg, []byte(">"+l.label+"<")); shown != (len(l.points(f)) > 0) {
			t.Errorf("%s: shown is %v", l.label, shown)
		}
	}
	if err := (chart{file: "nothing.svg"}).draw(f, folder); err != nil {
		t.Errorf("a picture of nothing: %v", err)
	}
}
