package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/tool"
)

// Stands observes a run, and holds the steps that the run waits for, by their paths. Its methods are called on the goroutine of the
// run's loop, or while that goroutine waits; any goroutine may call Start for a run that isn't a part of the observed one.
type Stands struct {
	// Host is the host of the run's loop.
	Host *tool.Host

	// Works holds the bodies that the engine executes for the run. If it isn't nil, steps doesn't hold the steps of these bodies.
	Works Works

	steps map[string]Stand
}

// Works are the bodies that an engine calls for the steps of a run.
type Works interface {
	// Each calls yield with the path and the stand of each work that a step waits for.
	Each(yield func(path string, at Stand))

	// Leave records that the step at path doesn't wait for its work any more.
	Leave(path string)
}

// Stand is a step that a run waits for.
type Stand struct {
	Label string
	Since time.Duration // when the step began to wait, by the clock of the run's loop
}

type apartKey struct{}

// Apart reports whether ctx belongs to a run, or to a step of a run, that a step or body of the observed run has started, and that
// isn't a part of the observed run.
func Apart(ctx context.Context) bool { return Key(ctx) != "" || ctx.Value(apartKey{}) != nil }

// Start implements observe.Observer. The paths of a run that is [Apart] aren't paths of the plan.
func (s *Stands) Start(ctx context.Context, run observe.Run) (context.Context, observe.Watch) {
	switch {
	case Apart(ctx):
		return ctx, nil
	case run.Parent != 0 && !run.Part:
		return context.WithValue(ctx, apartKey{}, true), nil
	default:
		return ctx, s.watch
	}
}

func (s *Stands) watch(e observe.Event) {
	switch e.Kind { //nolint:exhaustive // no other event changes which steps wait
	case observe.Suspended:
		if s.Works == nil || !offered(e.StepKind()) {
			if s.steps == nil {
				s.steps = make(map[string]Stand)
			}
			s.steps[e.Path()] = Stand{e.Label(), s.Host.Now()}
		}
	case observe.Resumed:
		if len(s.steps) > 0 { // otherwise the path of e isn't needed
			delete(s.steps, e.Path())
		}
	case observe.StepEnd:
		if e.Err == nil {
			return
		}
		path := e.Path()
		delete(s.steps, path)
		if s.Works != nil && offered(e.StepKind()) {
			s.Works.Leave(path)
		}
	}
}

// offered reports whether kind is that of flow.Call, or of a step that is made of step.Await: see tool.WithWork.
func offered(kind string) bool {
	switch kind {
	case "await", "do", "act", "awaitchan", "call":
		return true
	}
	return false
}

// All returns the steps that the run waits for, including those that wait for work of the engine.
func (s *Stands) All() map[string]Stand {
	all := maps.Clone(s.steps)
	if s.Works == nil {
		return all
	}
	s.Works.Each(func(path string, at Stand) {
		if all == nil {
			all = make(map[string]Stand)
		}
		all[path] = at
	})
	return all
}

// First returns the label of the step that the run waits for. If there are several it returns that of the first by path; if there is
// none it returns "".
func (s *Stands) First() string {
	all := s.All()
	first := ""
	for path := range all {
		if first == "" || path < first {
			first = path
		}
	}
	return all[first].Label
}

// Text returns a line for each step that the run waits for, in the order of the paths.
func (s *Stands) Text() string {
	var b strings.Builder
	all := s.All()
	for _, path := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s %s\n", path, all[path].Label)
	}
	return b.String()
}

// elements matches the branches of flow.ParEach, flow.Tasks and streams in paths. In the plan one branch stands for all of them,
// such as each.N.
var elements = regexp.MustCompile(`\b(each|tasks|crew)\.[0-9]+\b`)

// Picture returns the plan in Mermaid, in which the steps that the run waits for are marked. now is the time by the clock of the
// run's loop, or a later time.
func (s *Stands) Picture(plan *flow.Tree, now time.Duration) (string, error) {
	since := make(map[string]time.Duration) // by paths in the plan: when the first of the steps there has begun to wait
	for path, at := range s.All() {
		path = placeIn(plan, path, at.Label)
		if first, twice := since[path]; !twice || at.Since < first {
			since[path] = at.Since
		}
	}
	marks := make(draw.Marks, len(since))
	for path, since := range since {
		marks[path] = draw.Mark{State: draw.Waiting, Note: "for " + (now - since).String()}
	}
	var b strings.Builder
	err := draw.Mermaid(&b, plan, marks)
	return b.String(), err
}

// placeIn returns the path in plan of the step that a run has at path. A stream is executed by steps that plan doesn't have, inside
// of a race. For such a step placeIn returns the path of the step of the stream with the same label; if there is none, or there are
// several, it returns the path of the stream.
func placeIn(plan *flow.Tree, path, label string) string {
	path = elements.ReplaceAllString(path, "$1.N")
	stream, found := streamOf(plan, path), ""
	for t := range plan.All() {
		switch {
		case t.Path == path:
			return path
		case stream == "" || !strings.HasPrefix(t.Path, stream+"/") || label != cmp.Or(t.Name, t.Func, t.Kind):
		case found == "":
			found = t.Path
		default:
			found = stream
		}
	}
	return cmp.Or(found, stream, path)
}

// streamOf returns the path in plan of the stream that executes the step at path, or "". A stream holds a race at 0 that plan doesn't
// have.
func streamOf(plan *flow.Tree, path string) string {
	const race = "/0/race."
	for end := strings.LastIndex(path, race); end >= 0; end = strings.LastIndex(path[:end], race) {
		planned, raced := false, false
		for t := range plan.All() {
			planned = planned || t.Path == path[:end]
			raced = raced || strings.HasPrefix(t.Path, path[:end]+race)
		}
		if planned && !raced {
			return path[:end]
		}
	}
	return ""
}
