package main

import (
	"fmt"
	"slices"
	"strings"
)

// result is a budget with its figures as text.
type result struct {
	ours, allocs, peer, ratio, spread, cpu, limit, verdict string
}

// unknown stands for a figure that wasn't measured, and for a verdict without the figures for it.
const unknown = "–"

func (b budget) judge(f *figures) result {
	r := result{ours: unknown, allocs: unknown, peer: unknown, ratio: unknown, spread: unknown, cpu: unknown, limit: b.limit, verdict: unknown}
	if b.noAllocs {
		r.limit += ", no allocs"
	}
	if ours := b.ours.rounds(f); len(ours) > 0 {
		r.ours = number(median(ours)) + " " + of(b.ours)
	}
	allocs, known := b.ours.allocs(f)
	if known && b.ours.unit == "" {
		r.allocs = fmt.Sprintf("%.0f", allocs)
	}
	if peer := b.peer.rounds(f); len(peer) > 0 {
		r.peer = number(median(peer)) + " " + of(b.peer)
	} else if b.peer.exact != 0 {
		r.peer = ""
	}
	ratios := b.ours.ratio(f, b.peer)
	if len(ratios) == 0 {
		return r
	}
	middle := median(ratios)
	write := number
	if b.most < 0.1 {
		write = fraction
	}
	r.ratio = write(middle)
	r.spread = write(slices.Min(ratios)) + " – " + write(slices.Max(ratios))
	if cpu := b.ours.cpu().ratio(f, b.peer.cpu()); len(cpu) > 0 {
		r.cpu = write(median(cpu))
	}
	r.verdict = "yes"
	if middle > b.most || b.noAllocs && allocs >= 0.5 {
		r.verdict = "**no**"
	}
	return r
}

// of returns the unit of a quantity up to the slash: "ns" for "ns/op".
func of(q quantity) string {
	unit, _, _ := strings.Cut(q.measure(), "/")
	return unit
}

// fraction returns a small ratio as a fraction, like 1/50.
func fraction(v float64) string { return "1/" + number(1/v) }
