package durable

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Patch changes a step of a plan that has running instances. Runs that came to the step before the patch was deployed
// repeat before; all others execute now: new runs, and runs that began before the patch but come to the step after it.
// A run decides once for each name, by workflow.GetVersion, so patches of one name go together. Local runs, and runs
// that aren't runs of a [Workflow], execute now.
//
//	durable.Patch("gift wrap", ship, flow.Then(wrap, ship)) // where the plan had ship
//
// before must be the step that stood there, unchanged, and a single step: one with a body, or a plan in flow.Named or
// flow.Call. Its path, its activities and its keys stay as they were. Activities of now are named by the patch; their
// paths contain patch.NAME. A plan that has changed in other places is refused as without patches.
//
// Keep the patch until all runs that began before it, or with it, have ended.
//
// Errors: an empty name, one with a slash, and a before of several steps are reported by [Workflow.Err].
func Patch[In, Out any](name string, before, now step.Step[In, Out]) flow.Plan[In, Out] {
	return flow.Of(op.Patch(name,
		op.Given(before, "durable.Patch "+name+": the former part is nil"),
		op.Given(now, "durable.Patch "+name+": the present part is nil"),
		func(ctx context.Context) bool {
			x, ours := ctx.Value(instanceKey{}).(*instance)
			return ours && x.before(name)
		}))
}

// before reports whether the run came to the patch when there was none. The first call decides for the whole run.
func (x *instance) before(patch string) bool {
	defer x.broken()
	before := workflow.GetVersion(x.ctx, patch, workflow.DefaultVersion, 1) == workflow.DefaultVersion
	if before {
		x.former[patch] = true
	}
	return before
}

// inPatch matches the present part of a patch in the path of a step.
var inPatch = regexp.MustCompile(`(?:^|/)patch\.([^/]+)/`)

// parts returns the name of a patch, its two versions, and as rest what else its step holds. ok is false if t is no
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

// version selects which versions of a patch are kept, see resolved.
type version int

const (
	both version = iota
	former
	present
)

// resolved returns t with the versions of its patches that choose selects. A former version takes the place of its
// patch.
func resolved(t *flow.Tree, choose func(patch string) version) *flow.Tree {
	c := *t
	if name, was, now, rest, ok := parts(t); ok {
		switch choose(name) {
		case former:
			c = *was
			c.Holds = slices.Concat(c.Holds, rest)
			return resolved(&c, choose)
		case present:
			c.Holds = slices.Concat(now, rest)
		case both:
		}
	}
	held := c.Holds
	c.Holds = nil
	for _, h := range held {
		c.Holds = append(c.Holds, resolved(h, choose))
	}
	return &c
}

// patches returns the names of the patches in the plans.
func (r recorded) patches() map[string]bool {
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

// when returns r as it was before those patches that before doesn't have; before are the plans that a run has begun
// with. Plans of [Also] that were added later are left out: no part that the run knows enters them.
func (r recorded) when(before recorded) recorded {
	known := before.patches()
	then := make(recorded)
	for name, plan := range r {
		if before[name] != nil {
			then[name] = normalized(resolved(plan, func(patch string) version {
				if known[patch] {
					return both
				}
				return former
			}))
		}
	}
	return then
}
