package storm_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A node is a combinator of a drawn plan. Its kind decides what its numbers mean.
type node struct {
	kind *kind
	id   int
	n    [4]int // each from 0 to 99
	kids []*node
	note string // what the builder made of the numbers
}

type draws struct {
	*rand.Rand

	left int // nodes that may still be drawn
	next int // the number of the next node
}

func (d *draws) of(all []kind, depth int) *node {
	total := 0
	for i := range all {
		if depth > 0 || all[i].leaf() {
			total += all[i].weight
		}
	}
	at := d.IntN(total)
	for i := range all {
		if depth > 0 || all[i].leaf() {
			if at -= all[i].weight; at < 0 {
				return d.node(&all[i], depth)
			}
		}
	}
	panic("unreachable")
}

func (d *draws) node(k *kind, depth int) *node {
	if k.shape != nil {
		return k.shape(d)
	}
	n := d.alone(k)
	count := k.least
	if k.most > k.least {
		count += d.IntN(k.most - k.least + 1)
	}
	for i := range count {
		if k.flow(i) {
			n.kids = append(n.kids, d.stream(depth-1))
		} else {
			n.kids = append(n.kids, d.plan(depth-1))
		}
	}
	return n
}

func (d *draws) alone(k *kind) *node {
	n := &node{kind: k, id: d.next}
	for i := range n.n {
		n.n[i] = d.IntN(100)
	}
	d.next++
	d.left--
	return n
}

func (d *draws) plan(depth int) *node {
	if d.left <= 0 {
		depth = 0
	}
	return d.of(planKinds, depth)
}

func (d *draws) stream(depth int) *node {
	if d.left <= 0 {
		depth = 0
	}
	return d.of(streamKinds, depth)
}

func (n *node) String() string {
	var text strings.Builder
	n.print(&text, 1)
	return text.String()
}

func (n *node) print(text *strings.Builder, depth int) {
	fmt.Fprintf(text, "%s%s #%d %v %s\n", strings.Repeat("  ", depth), n.kind.name, n.id, n.n, n.note)
	for _, kid := range n.kids {
		kid.print(text, depth+1)
	}
}

// simpler returns plans in which a part of n is left out or replaced by a step.Map.
func (n *node) simpler() []*node {
	var found []*node
	for _, kid := range n.kids {
		if kid.kind.stream == nil == (n.kind.stream == nil) {
			found = append(found, kid)
		}
	}
	if len(n.kids) > 0 && n.kind.stream == nil {
		found = append(found, &node{kind: planKinds.named("step.Map"), id: n.id})
	}
	for i := range n.kids {
		if len(n.kids) > n.kind.least {
			fewer := *n
			fewer.kids = append(append([]*node{}, n.kids[:i]...), n.kids[i+1:]...)
			found = append(found, &fewer)
		}
		for _, kid := range n.kids[i].simpler() {
			other := *n
			other.kids = append([]*node{}, n.kids...)
			other.kids[i] = kid
			found = append(found, &other)
		}
	}
	return found
}
