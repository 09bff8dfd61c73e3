package durable

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/tool"
)

// Names of the queries that a workflow answers.
const (
	queryPlace   = "place"
	queryPicture = "picture"
)

// stands observes a run, and holds the steps that the run waits for by their paths.
type stands struct {
	steps map[string]stand
	x     *instance // if not nil, steps holds no steps that wait for x.works: the paths of these would cost as much as the rest of the step
	shown string    // the value of the search attribute
}

type stand struct {
	label string
	since time.Duration
}

// Start implements observe.Observer.
func (s *stands) Start(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
	if s.steps == nil { // other runs may be started in the context of this one
		s.steps = make(map[string]stand)
	}
	return ctx, s.watch
}

func (s *stands) watch(e observe.Event) {
	switch e.Kind { //nolint:exhaustive // the others don't change what is waited for
	case observe.Suspended:
		if s.x == nil || !offered(e.StepKind()) {
			s.steps[e.Path()] = stand{e.Label(), e.At}
		}
	case observe.Resumed:
		if len(s.steps) > 0 {
			delete(s.steps, e.Path())
		}
	case observe.StepEnd:
		if e.Err == nil {
			return
		}
		path := e.Path()
		delete(s.steps, path)
		if s.x != nil && offered(e.StepKind()) {
			s.x.leave(path)
		}
	}
}

// offered reports whether steps of that kind wait only for work that the engine executes, see take.
func offered(kind string) bool { return kind == "await" || kind == "call" }

// all returns the steps that the run waits for, including those that wait for work of the engine.
func (s *stands) all() map[string]stand {
	if s.x == nil || len(s.x.works) == 0 {
		return s.steps
	}
	all := maps.Clone(s.steps)
	for _, w := range s.x.works {
		if !w.left {
			all[w.Path] = stand{s.x.label(w.Work), w.since}
		}
	}
	return all
}

// label returns what Label of an observe.Event of the step would return.
func (d *definition) label(w tool.Work) string {
	label := w.Name
	if i := slices.IndexFunc(d.known, func(k known) bool { return k.body == w.Body }); label == "" && i >= 0 {
		label = d.known[i].place.Func
	}
	return cmp.Or(label, w.Kind)
}

// leave records that the step at path doesn't wait for its work any more.
func (x *instance) leave(path string) {
	for _, w := range x.works {
		w.left = w.left || w.Path == path
	}
}

// text returns a line for each step that the run waits for, in the order of their paths.
func (s *stands) text() string {
	var b strings.Builder
	all := s.all()
	for _, path := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s %s\n", path, all[path].label)
	}
	return b.String()
}

// elements matches the numbers of branches of flow.ParEach in paths: in the plan these branches are one.
var elements = regexp.MustCompile(`\beach\.[0-9]+\b`)

// picture returns the plan in Mermaid, in which the steps that the run waits for are marked.
func (s *stands) picture(plan *flow.Tree, now time.Duration) (string, error) {
	marks := draw.Marks{}
	for path, at := range s.all() {
		marks[elements.ReplaceAllString(path, "each.N")] = draw.Mark{State: draw.Waiting, Note: "for " + (now - at.since).String()}
	}
	var b strings.Builder
	err := draw.Mermaid(&b, plan, marks)
	return b.String(), err
}

// chosen returns the plan with the versions of patches that the run executes.
func (x *instance) chosen() *flow.Tree {
	return resolved(x.trees[""], func(patch string) version {
		if x.former[patch] {
			return former
		}
		return present
	})
}

// answer sets the handlers of the queries.
func (x *instance) answer() error {
	err := workflow.SetQueryHandlerWithOptions(x.ctx, queryPlace, func() (string, error) { return x.stands.text(), nil },
		workflow.QueryHandlerOptions{Description: "the steps that the run waits for"})
	if err != nil {
		return err
	}
	return workflow.SetQueryHandlerWithOptions(x.ctx, queryPicture,
		func() (string, error) { return x.stands.picture(x.chosen(), x.at) },
		workflow.QueryHandlerOptions{Description: "the plan as a Mermaid diagram, with the steps that the run waits for"})
}

// standing updates the search attribute, if one is set.
func (x *instance) standing() error {
	if x.attribute == "" {
		return nil
	}
	label, all := "", x.stands.all()
	for _, path := range slices.Sorted(maps.Keys(all)) {
		label = all[path].label
		break
	}
	if label == x.stands.shown {
		return nil
	}
	x.stands.shown = label
	return workflow.UpsertTypedSearchAttributes(x.ctx, temporal.NewSearchAttributeKeyKeyword(x.attribute).ValueSet(label))
}
