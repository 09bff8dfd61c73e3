package enginetest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/combinatortest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Drawn is a program that the generator of proptest/laws has drawn; see TestDrawnPrograms there.
type Drawn struct {
	Plan  *Node `json:"plan"`
	Input int   `json:"input"`
}

// Node is a stage.
type Node struct {
	Kind    string  `json:"kind"`
	ID      int     `json:"id"`
	Kids    []*Node `json:"kids"`
	Body    *Body   `json:"body"`
	Handler *Body   `json:"handler"`
	Limit   int     `json:"limit"`
	N       int     `json:"n"`
	Flavour int     `json:"flavour"`
	Label   int     `json:"label"`
}

// Body describes what a step.New, a step.Func, a step.Await or a handler does.
type Body struct {
	ID       int    `json:"id"`
	Way      string `json:"way"`
	Code     string `json:"code"`
	Kid      *Node  `json:"kid"`
	Wait     int    `json:"wait"`
	Label    int    `json:"label"`
	N        int    `json:"n"`
	Limit    int    `json:"limit"`
	Cleanups int    `json:"cleanups"`
	Hook     bool   `json:"hook"`
}

// DrawnPrograms returns the programs of proptest/testdata/drawn.jsonl.
func DrawnPrograms(t *testing.T) (all []Drawn) {
	t.Helper()
	f, err := os.Open("../../proptest/testdata/drawn.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p Drawn
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if err = lines.Err(); err != nil || len(all) < 100 {
		t.Fatalf("%d programs, %v", len(all), err)
	}
	return all
}

// Iterates reports whether the program ranges over an iterator.
func (p Drawn) Iterates() bool { return p.Plan.iterates() }

func (n *Node) iterates() bool {
	if n.Kind == "list" && (n.Flavour == 2 || n.Flavour == 3) {
		return true
	}
	for _, b := range []*Body{n.Body, n.Handler} {
		if b != nil && b.Kid != nil && b.Kid.iterates() {
			return true
		}
	}
	return slices.ContainsFunc(n.Kids, (*Node).iterates)
}

type builder struct {
	wait, limit time.Duration // one unit of a wait, and of a limit
	labels      [4]loopx.Label[int]
	also        []durable.Option // give names to the plans that bodies enter
}

type stage = step.Step[int, int]

// Workflow makes a Workflow of p.
func (p Drawn) Workflow(name string, wait, limit time.Duration) *durable.Workflow[int, int] {
	plan, also := p.plan(wait, limit)
	return durable.New(name, plan, also...)
}

func (p Drawn) plan(wait, limit time.Duration) (stage, []durable.Option) {
	b := &builder{wait: wait, limit: limit}
	for i := range b.labels {
		b.labels[i] = loopx.NewLabel[int](fmt.Sprintf("L%d", i))
	}
	return b.stage(p.Plan), b.also
}

// inner returns the plan that body enters, and gives it a name; nil if body enters none.
func (b *builder) inner(body *Body) stage {
	if body.Kid == nil {
		return nil
	}
	s := b.stage(body.Kid)
	b.also = append(b.also, durable.Also(fmt.Sprintf("in%d", body.ID), s))
	return s
}

func (b *builder) stage(n *Node) stage {
	kids := make([]stage, len(n.Kids))
	for i, kid := range n.Kids {
		kids[i] = b.stage(kid)
	}
	limit := time.Duration(n.Limit) * b.limit
	switch n.Kind {
	case "map":
		return step.Map(func(in int) int { return in + n.ID })
	case "func":
		return step.Func(func(as step.Scope, in int) (int, error) {
			b.install(n.Body, as)
			if n.Body.Way == "fail" {
				return 0, fault.New(fault.Code(n.Body.Code), "")
			}
			return in + n.Body.ID, nil
		})
	case "new":
		into := b.inner(n.Body)
		return step.New(func(as step.Scope, in int) step.Next[int] { return b.next(n.Body, into, as, in+n.Body.ID, in, nil) })
	case "await":
		return flow.Then(step.Delay[int](time.Duration(n.Body.Wait)*b.wait), step.Await(func(_ context.Context, in int) (int, error) {
			if n.Body.Way == "wait and fail" {
				return 0, fault.New(fault.Code(n.Body.Code), "")
			}
			return in + n.Body.ID, nil
		}))
	case "value":
		return flow.Value[int](n.N)
	case "catch":
		into := b.inner(n.Handler)
		return flow.Catch(kids[0], func(as step.Scope, err error) step.Next[int] {
			return b.next(n.Handler, into, as, n.Handler.ID*1000+len(fault.CodeOf(err)), n.Handler.ID, err)
		})
	case "limit":
		return flow.Timeout(limit, kids[0])
	case "hook":
		return flow.OnCancel(kids[0], func(step.Scope) {})
	case "named":
		// A call with a name would be a workflow of its own, and loops and variables around it wouldn't reach into it.
		if n.Kids[0].Kind == "call" {
			return kids[0]
		}
		return flow.Named("name", kids[0])
	case "copy":
		return flow.CopyFrom(flow.Model[int, int]{Steps: kids[0], State: map[string]any{"model": n.ID}})
	case "retry":
		return retry.Of(retry.Policy{Tries: n.N}, kids[0])
	case "try":
		return flow.Then(flow.Try(kids[0]), step.Map(func(r flow.Result[int]) int {
			if r.Err != nil {
				return n.ID*1000 + len(fault.CodeOf(r.Err))
			}
			return r.Value
		}))
	case "carry":
		if n.Flavour == 1 {
			return flow.Tap(kids[0])
		}
		return flow.Then(flow.Carry(kids[0]), step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B }))
	case "grace":
		return flow.Grace(limit, kids[0])
	case "bracket":
		release := step.Map(func(e flow.Ended[int, int]) int { return e.Resource })
		return flow.Bracket(kids[0], kids[1], flow.Then(release, kids[2]))
	case "undo":
		return flow.Undo(kids[0], kids[1])
	case "repeat", "loop", "list":
		return b.loop(n, kids[0])
	default:
		return combinatortest.Named(n.Kind).Make(kids...)
	}
}

func (b *builder) loop(n *Node, kid stage) stage {
	elements := func(in int) []int {
		all := make([]int, n.N)
		for i := range all {
			all[i] = in + i
		}
		return all
	}
	item := flow.Then(step.Map(func(i loopx.Item[int, int, int]) int { return i.Value + i.Carry }), kid)
	switch {
	case n.Kind == "repeat":
		return labelled(b, n, loopx.Repeat(n.N, flow.Then(step.Map(func(t loopx.Iteration[int]) int { return t.Carry + t.Index }), kid)))
	case n.Kind == "loop":
		return labelled(b, n, loopx.Loop(flow.Then(step.New(func(as step.Scope, in int) step.Next[int] {
			if count(as, n.ID) > n.N {
				return loopx.Break[int]()
			}
			return step.Succeed(in)
		}), kid)))
	case n.Flavour == 1:
		return flow.Then(step.Map(func(in int) map[int]int { return maps.Collect(slices.All(elements(in))) }), labelled(b, n, loopx.EachMap(item)))
	case n.Flavour == 2:
		return flow.Then(step.Map(func(in int) iter.Seq[int] { return slices.Values(elements(in)) }), labelled(b, n, loopx.EachSeq(item)))
	case n.Flavour == 3:
		return flow.Then(step.Map(func(in int) iter.Seq2[int, int] { return slices.All(elements(in)) }), labelled(b, n, loopx.EachSeq2(item)))
	default:
		return flow.Then(step.Map(elements), labelled(b, n, loopx.Each(item)))
	}
}

func labelled[In any](b *builder, n *Node, loop step.Step[In, int]) step.Step[In, int] {
	if n.Label == 0 {
		return loop
	}
	return loopx.Labelled(b.labels[n.Label], loop)
}

func count(as step.Scope, id int) int {
	v := step.NewVar[int](fmt.Sprint("count ", id))
	n, _ := v.Get(as)
	v.Set(as, n+1)
	return n + 1
}

func (b *builder) install(body *Body, as step.Scope) {
	if body.Limit > 0 {
		as.SetTimeout(time.Duration(body.Limit) * b.limit)
	}
	if body.Hook {
		as.SetCancel(func() {})
	}
	for range body.Cleanups {
		step.StackCleanup(as, func(*int) {})
	}
}

// next does what body describes: value is its result, in is the input of the plan it enters, and err is the error it handles.
func (b *builder) next(body *Body, into stage, as step.Scope, value, in int, err error) step.Next[int] {
	b.install(body, as)
	switch body.Way {
	case "succeed":
		return step.Succeed(value)
	case "fail":
		return step.Fail[int](fault.New(fault.Code(body.Code), ""))
	case "zero Next":
		return step.Next[int]{}
	case "unwind":
		return step.Unwind[int]()
	case "rethrow":
		return step.Fail[int](err)
	case "into":
		return step.Into(as, into, in)
	case "wait", "wait and fail":
		return step.Wait(as, func(done step.Done[int]) {
			_, _ = as.Loop().Deferred(time.Duration(body.Wait)*b.wait, func() {
				if body.Way == "wait" {
					done.Succeed(value)
				} else {
					done.Fail(fault.New(fault.Code(body.Code), ""))
				}
			})
		})
	case "break", "continue":
		if count(as, body.ID) > body.N {
			return step.Succeed(value)
		}
		return b.signal(body, value)
	default:
		panic("no way of this file: " + body.Way)
	}
}

func (b *builder) signal(body *Body, value int) step.Next[int] {
	l := b.labels[body.Label]
	switch {
	case body.Way == "break" && body.Label == 0:
		return loopx.Break[int]()
	case body.Way == "break":
		return loopx.BreakTo[int](l, value)
	case body.Label == 0:
		return loopx.Continue[int]()
	default:
		return loopx.ContinueTo[int](l, value)
	}
}

// Ending describes how a run of a program has ended on a loop in virtual time.
type Ending struct {
	Ended   bool // false if the run waits for ever
	Outcome string
	Code    fault.Code
	Calls   int // how many times bodies were called
	Took    time.Duration
}

// Here runs the program on a loop in virtual time.
func (p Drawn) Here(wait, limit time.Duration) (e Ending) {
	var loop *tooltest.Loop
	loop = tooltest.New(tooltest.WithHost(tool.WithWork(func(w tool.Work) (func(error), bool) {
		e.Calls++
		result, err := w.Body.Call(w.Context, w.In)
		_, _ = loop.Immediate(func() { w.Done(result, err) })
		return nil, true
	}), tool.WithDeterministic(), tool.WithGrace(-1))) // like the loop of a durable run
	plan, _ := p.plan(wait, limit)
	run := flow.Start(context.Background(), loop, plan, p.Input)
	run.Then(func(int, error) { e.Ended = true })
	loop.Run()
	out, err := run.Result()
	e.Outcome, e.Code, e.Took = Outcome(out, err), fault.CodeOf(err), loop.Now()
	return e
}

// Outcome describes how a run has ended: by its result, or by the text and the code of its error.
func Outcome(out int, err error) string {
	if err != nil {
		return fmt.Sprintf("%v, code %s", err, fault.CodeOf(err))
	}
	return strconv.Itoa(out)
}
