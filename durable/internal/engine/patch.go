package engine

import (
	"regexp"
	"slices"
	"strings"

	"github.com/futoin-go/asyncsteps/flow"
)

// inPatch matches the present part of a patch in the path of a step.
var inPatch = regexp.MustCompile(`(?:^|/)patch\.([^/]+)/`)

// parts returns the name of the patch t, its former and its present part, and the rest of what t holds. ok is false if t isn't a
// patch.
func parts(t *flow.Tree) (name string, former *flow.Tree, now, rest []*flow.Tree, ok bool) {
	if t.Kind != "patch" || len(t.Holds) < 2 {
		return "", nil, nil, nil, false
	}
	under := t.Path + "/patch."
	for _, held := range t.Holds[1:] {
		if path, present := strings.CutPrefix(held.Path, under); present {
			name, _, _ = strings.Cut(path, "/")
			now = append(now, held)
		} else {
			rest = append(rest, held)
		}
	}
	return name, t.Holds[0], now, rest, true
}

// Version selects the versions of a patch that Resolved keeps.
type Version int

const (
	Both Version = iota
	Former
	Present
)

// Resolved returns t with the versions of its patches that choose selects. A former version takes the place of its
// patch.
func Resolved(t *flow.Tree, choose func(patch string) Version) *flow.Tree {
	c := *t
	if name, was, now, rest, ok := parts(t); ok {
		switch choose(name) {
		case Former:
			c = *was
			c.Holds = slices.Concat(c.Holds, rest)
			return Resolved(&c, choose)
		case Present:
			c.Holds = slices.Concat(now, rest)
		case Both:
		}
	}
	held := c.Holds
	c.Holds = nil
	for _, h := range held {
		c.Holds = append(c.Holds, Resolved(h, choose))
	}
	return &c
}

// Patches returns the names of the patches in the plans.
func (r Plans) Patches() map[string]bool {
	names := make(map[string]bool)
	for _, plan := range r {
		for t := range plan.All() {
			if name, _, _, _, ok := parts(t); ok {
				names[name] = true
			}
		}
	}
	return names
}

// when returns r without what was added after before: patches that no plan in before has, and plans of durable.Also.
func (r Plans) when(before Plans) Plans {
	known := before.Patches()
	then := make(Plans)
	for name, plan := range r {
		if before[name] != nil {
			then[name] = normalized(Resolved(plan, func(patch string) Version {
				if known[patch] {
					return Both
				}
				return Former
			}))
		}
	}
	return then
}
