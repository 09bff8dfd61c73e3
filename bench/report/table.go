package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchmath"
)

func write(w io.Writer, f *figures) error {
	p := printer{w: w}
	p.line("# Results")
	p.line("")
	p.line("Made by `bash bench/compare`; [the method](../internals/benchmarks.md) says what the rows are and how to read this page.")
	p.line("The figures as they were printed are in [raw.txt](raw.txt), their statistics in [benchstat.txt](benchstat.txt).")
	p.line("")
	p.machine(f)
	p.budgets(f)
	p.plots()
	p.columns(f)
	return p.err
}

// printer writes lines until one fails.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) machine(f *figures) {
	for _, what := range []struct{ title, key string }{
		{"Date", "date"},
		{"Processor", "cpu"},
		{"Processors", "processors"},
		{"System", "system"},
		{"Go", "go"},
		{"Compared with", "peers"},
		{"C++ by", "cpp"},
		{"Under Node.js", "node"},
	} {
		if v := f.config[what.key]; v != "" {
			p.line("- %s: %s", what.title, v)
		}
	}
	p.line("- Rounds: %d", len(f.others))
	if known := slices.DeleteFunc(slices.Clone(f.others), func(s string) bool { return s == "" }); len(known) > 0 {
		p.line("- What else the machine did meanwhile, as a part of its processors: %s in one round to %s in another",
			slices.MinFunc(known, shorter), slices.MaxFunc(known, shorter))
	}
	p.line("")
}

// shorter compares two percentages in whole numbers.
func shorter(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	if a < b {
		return -1
	}
	return 1
}

func (p *printer) budgets(f *figures) {
	p.line("## Budgets")
	p.line("")
	p.line("| work | asyncsteps | allocs | peer | it takes | ratio | lowest–highest | of CPU time | budget | met |")
	p.line("|---|--:|--:|---|--:|--:|--:|--:|---|---|")
	met, measured := 0, 0
	for _, b := range budgets {
		r := b.judge(f)
		p.line("| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |",
			b.work, r.ours, r.allocs, b.peerName, r.peer, r.ratio, r.spread, r.cpu, r.limit, r.verdict)
		if r.verdict != unknown {
			measured++
		}
		if r.verdict == "yes" {
			met++
		}
	}
	p.line("")
	p.line("%d of %d met.", met, measured)
	p.line("")
}

func (p *printer) columns(f *figures) {
	p.line("## Every column")
	p.line("")
	p.line("The middle of the rounds, and how far its 95 %% interval reaches. The last column is the time in relation to asyncsteps.")
	p.line("")
	p.line("| row | n | column | ns/op | ± | CPU ns | B/op | allocs/op | more | × |")
	p.line("|---|--:|---|--:|--:|--:|--:|--:|---|--:|")
	for _, k := range f.sorted() {
		sample := benchmath.NewSample(slices.Clone(f.samples[k]["ns/op"]), &benchmath.DefaultThresholds)
		summary := benchmath.AssumeNothing.Summary(sample, 0.95)
		relation := ""
		if ours := f.samples[key{k.row, us, k.size}]["ns/op"]; len(ours) > 0 && k.column != us {
			relation = number(summary.Center / median(ours))
		}
		size := ""
		if k.size != 0 {
			size = strconv.Itoa(k.size)
		}
		p.line("| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |", k.row, size, k.column, number(summary.Center),
			spread(summary), f.middle(k, "cpu-ns/op"), f.middle(k, "B/op"), f.middle(k, "allocs/op"), f.extra(k), relation)
	}
}

// spread returns how far the interval reaches, or "" if there are too few rounds for one.
func spread(s benchmath.Summary) string {
	if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
		return ""
	}
	return s.PctRangeString()
}

// sorted returns the keys in the order of the rows, and within a row by size, so that figures of different libraries for the
// same row stand together.
func (f *figures) sorted() []key {
	order := map[string]int{}
	for _, k := range f.keys {
		if _, known := order[k.row]; !known {
			order[k.row] = len(order)
		}
	}
	return slices.SortedStableFunc(slices.Values(f.keys), func(a, b key) int {
		if a.row != b.row {
			return order[a.row] - order[b.row]
		}
		return a.size - b.size
	})
}

// middle returns the median of the rounds, or "" if there are none.
func (f *figures) middle(k key, unit string) string {
	values := f.samples[k][unit]
	if len(values) == 0 {
		return ""
	}
	return strings.TrimSuffix(number(median(values)), ".00")
}

// extra returns the medians of the units that have no column of their own, such as the memory at the peak.
func (f *figures) extra(k key) string {
	var all []string
	for _, unit := range slices.Sorted(maps.Keys(f.samples[k])) {
		if !slices.Contains([]string{"ns/op", "cpu-ns/op", "B/op", "allocs/op"}, unit) {
			all = append(all, f.middle(k, unit)+" "+unit)
		}
	}
	return strings.Join(all, ", ")
}
