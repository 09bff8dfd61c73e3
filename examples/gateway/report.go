package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

const maxProblems = 10

// fallback is a part of the page and the reason for its fallback.
type fallback struct {
	part string
	why  fault.Code
}

// report counts outcomes. It belongs to one goroutine.
type report struct {
	total     int // requests to be sent
	answered  int
	problems  []string
	statuses  map[int]int
	rejected  map[string]int // by reason
	fallbacks map[fallback]int
	took      []time.Duration // how long answers took, without those to bursts
}

func newReport(total int) *report {
	return &report{
		total:    total,
		statuses: make(map[int]int), rejected: make(map[string]int), fallbacks: make(map[fallback]int),
	}
}

func (r *report) add(o outcome) {
	r.judge(o.problem())
	r.count(o)
	if o.err == nil {
		r.took = append(r.took, o.took)
	}
}

func (r *report) judge(problem string) {
	if problem != "" {
		r.problems = append(r.problems, problem)
	}
}

func (r *report) count(o outcome) {
	if o.err != nil {
		return
	}
	r.answered++
	r.statuses[o.status]++
	if why := o.rejected(); why != "" {
		r.rejected[why]++
	}
	for part, why := range o.fallbacks() {
		r.fallbacks[fallback{part, why}]++
	}
}

func (r *report) expected() bool { return r.answered == r.total && len(r.problems) == 0 }

func sum[K comparable](counts map[K]int) (n int) {
	for _, count := range counts {
		n += count
	}
	return n
}

func (r *report) timeouts() (n int) {
	for f, count := range r.fallbacks {
		if f.why == fault.Timeout {
			n += count
		}
	}
	return n
}

func (r *report) latency(percent int) time.Duration {
	if len(r.took) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(r.took))
	return sorted[(len(sorted)*percent+99)/100-1]
}

func (r *report) print(out io.Writer) {
	for i, problem := range r.problems {
		if i == maxProblems {
			fmt.Fprintf(out, "… and %d more\n", len(r.problems)-i)
			break
		}
		fmt.Fprintln(out, problem)
	}
	var t table
	t.row("requests", r.total)
	t.row("answers", r.answered)
	for _, status := range slices.Sorted(maps.Keys(r.statuses)) {
		t.row(fmt.Sprintf("  %d %s", status, http.StatusText(status)), r.statuses[status])
	}
	t.row("not as expected", len(r.problems))
	t.row("rejected", sum(r.rejected))
	for _, why := range slices.Sorted(maps.Keys(r.rejected)) {
		t.row("  "+why, r.rejected[why])
	}
	t.row("fallbacks", sum(r.fallbacks))
	kinds := slices.SortedFunc(maps.Keys(r.fallbacks), func(a, b fallback) int {
		return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.why, b.why))
	})
	for _, f := range kinds {
		t.row(fmt.Sprintf("  %s: %s", f.part, f.why), r.fallbacks[f])
	}
	t.row("timeouts", r.timeouts())
	for _, percent := range []int{50, 90, 99, 100} {
		t.row(fmt.Sprintf("latency p%d", percent), r.latency(percent).Round(10*time.Microsecond))
	}
	t.print(out)
}
