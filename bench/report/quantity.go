package main

import (
	"fmt"
	"slices"
)

// quantity is a number in the table of budgets, taken from the figures round by round.
type quantity struct {
	row, column string
	// size is the n of the benchmark. If from isn't zero, the quantity is the difference between the figures for size and for
	// from, divided by size-from.
	size, from int
	// unit is what the benchmark reports; "" is ns/op.
	unit string
	// exact, if not zero, is the quantity itself.
	exact float64
}

func (q quantity) measure() string {
	if q.unit == "" {
		return "ns/op"
	}
	return q.unit
}

// rounds returns the values of q, in the order of the rounds.
func (q quantity) rounds(f *figures) []float64 {
	all := f.samples[key{q.row, q.column, q.size}][q.measure()]
	if q.from == 0 {
		return all
	}
	base := f.samples[key{q.row, q.column, q.from}][q.measure()]
	values := make([]float64, min(len(all), len(base)))
	for i := range values {
		values[i] = (all[i] - base[i]) / float64(q.size-q.from)
	}
	return values
}

// ratio returns the ratios of q to other, round by round: both figures of a round come from about the same time, so other work of
// the machine slows both down. ratio leaves out rounds in which one of the two isn't positive, as noise can make a difference of two
// sizes.
func (q quantity) ratio(f *figures, other quantity) []float64 {
	values, divisors := q.rounds(f), other.rounds(f)
	if other.exact != 0 {
		divisors = slices.Repeat([]float64{other.exact}, len(values))
	}
	var ratios []float64
	for i := range min(len(values), len(divisors)) {
		if values[i] > 0 && divisors[i] > 0 {
			ratios = append(ratios, values[i]/divisors[i])
		}
	}
	return ratios
}

// cpu returns the processor time of q. The processor time is measured only if q is a time.
func (q quantity) cpu() quantity {
	q.unit = "cpu-" + q.measure()
	return q
}

// allocs returns the number of allocations for q in the round with the most.
func (q quantity) allocs(f *figures) (most float64, known bool) {
	q.unit = "allocs/op"
	values := q.rounds(f)
	if len(values) == 0 {
		return 0, false
	}
	return slices.Max(values), true
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return (sorted[mid-1] + sorted[mid]) / 2
}

// number returns v with two decimals, one from 10 on, and none from 100 on.
func number(v float64) string {
	switch {
	case v >= 100 || v <= -100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10 || v <= -10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}
