package storm_test

import (
	"slices"

	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

type (
	stage   = step.Step[tok, tok]
	flowing = stream.Stream[tok, *unit]
)

// A kind is a combinator of which drawn plans are made.
type kind struct {
	name        string
	uses        []string // other exported names that plan or stream uses
	weight      int
	least, most int // number of its kids
	flows       int // kids with a lower index are streams
	plan        func(b *builder, n *node, at place) stage
	stream      func(b *builder, n *node, at place) flowing // instead of plan
	shape       func(d *draws) *node                        // instead of plan: it draws nodes of other kinds
	leaves      bool                                        // it isn't for calm scenes
}

func (k *kind) leaf() bool      { return k.most == 0 && k.least == 0 }
func (k *kind) flow(i int) bool { return i < k.flows }

type kinds []kind

func (all kinds) named(name string) *kind {
	return &all[slices.IndexFunc(all, func(k kind) bool { return k.name == name })]
}

var planKinds, streamKinds kinds

func init() { //nolint:gochecknoinits // the kinds draw each other
	planKinds = slices.Concat(stepKinds(), flowKinds(), forkKinds(), keepKinds(), runKinds(), loopKinds(), guardKinds(), sinkKinds(), shapeKinds())
	streamKinds = slices.Concat(sourceKinds(), operatorKinds())
	for _, all := range []kinds{planKinds, streamKinds} {
		for i := range all {
			all[i].most = max(all[i].most, all[i].least)
			all[i].weight = max(all[i].weight, 1)
		}
	}
}
