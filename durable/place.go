package durable

import (
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
)

// Names of the queries that a workflow answers.
const (
	queryPlace   = "place"
	queryPicture = "picture"
)

// stands observes a run, and holds the steps that the run waits for by their paths.
type stands struct {
	steps map[string]stand
	shown string // the search attribute
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
		s.steps[e.Path()] = stand{e.Label(), e.At}
	case observe.Resumed:
		delete(s.steps, e.Path())
	case observe.StepEnd:
		if e.Err != nil {
			delete(s.steps, e.Path())
		}
	}
}

// text is a line for each step, in the order of their paths.
func (s *stands) text() string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(s.steps)) {
		fmt.Fprintf(&b, "%s %s\n", path, s.steps[path].label)
	}
	return b.String()
}

// elements matches the numbers of branches of flow.ParEach in paths: in the plan these branches are one.
var elements = regexp.MustCompile(`\beach\.[0-9]+\b`)

// picture returns the plan in Mermaid, in which the steps that the run waits for are marked.
func (s *stands) picture(plan *flow.Tree, now time.Duration) (string, error) {
	marks := draw.Marks{}
	for path, at := range s.steps {
		marks[elements.ReplaceAllString(path, "each.N")] = draw.Mark{State: draw.Waiting, Note: "for " + (now - at.since).String()}
	}
	var b strings.Builder
	err := draw.Mermaid(&b, plan, marks)
	return b.String(), err
}

// answer has the workflow answer queries.
func (x *instance) answer() error {
	err := workflow.SetQueryHandlerWithOptions(x.ctx, queryPlace, func() (string, error) { return x.stands.text(), nil },
		workflow.QueryHandlerOptions{Description: "the steps that the run waits for"})
	if err != nil {
		return err
	}
	return workflow.SetQueryHandlerWithOptions(x.ctx, queryPicture,
		func() (string, error) { return x.stands.picture(x.trees[""], x.at) },
		workflow.QueryHandlerOptions{Description: "the plan as a Mermaid diagram, with the steps that the run waits for"})
}

// standing updates the search attribute, if one is set.
func (x *instance) standing() error {
	if x.attribute == "" {
		return nil
	}
	label := ""
	for _, path := range slices.Sorted(maps.Keys(x.stands.steps)) {
		label = x.stands.steps[path].label
		break
	}
	if label == x.stands.shown {
		return nil
	}
	x.stands.shown = label
	return workflow.UpsertTypedSearchAttributes(x.ctx, temporal.NewSearchAttributeKeyKeyword(x.attribute).ValueSet(label))
}
