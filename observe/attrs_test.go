package observe_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// attributed records the attributes of each run at its start and at its end.
func attributed(to *[]string) observe.Observer {
	return observe.Func(func(ctx context.Context, run observe.Run) (context.Context, observe.Watch) {
		*to = append(*to, fmt.Sprint("start ", run.Name(), " ", run.Attrs()))
		return ctx, func(e observe.Event) {
			if e.Kind == observe.RunEnd {
				*to = append(*to, fmt.Sprint("end ", run.Name(), " ", run.Attrs()))
			}
		}
	})
}

func TestAttrs(t *testing.T) {
	var got []string
	inner := flow.Named("inner", flow.Of(plantest.Named("i", nil)))
	plan := flow.Named("outer", flow.Of(step.Func(func(as step.Scope, _ step.Unit) (step.Unit, error) {
		observe.SetAttrs(as.Context(), slog.Int("items", 3), slog.String("", "no key"))
		observe.SetAttrs(as.Context(), slog.String("tenant", "b"))
		flow.Start(as.Context(), as.Loop(), inner, step.Unit{})
		return step.Unit{}, nil
	})))
	ctx := observe.With(t.Context(), attributed(&got))
	ctx = observe.WithAttrs(ctx, slog.String("order", "A-17"), slog.String("tenant", "x"))
	ctx = observe.WithAttrs(ctx, slog.String("tenant", "a"))
	loop := tooltest.New()
	flow.Start(ctx, loop, plan, step.Unit{})
	loop.Run()
	want := []string{
		"start outer [order=A-17 tenant=a]",
		"start inner [order=A-17 tenant=a]",
		"end outer [order=A-17 tenant=b items=3]",
		"end inner [order=A-17 tenant=a]",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Without an observed run, or without a context, there is nothing to attach attributes to.
func TestAttrsOfNothing(t *testing.T) {
	observe.SetAttrs(nil, slog.Int("a", 1)) //nolint:staticcheck // a program may do this
	observe.SetAttrs(t.Context(), slog.Int("a", 1))
	if ctx := observe.WithAttrs(t.Context()); ctx != t.Context() {
		t.Error("a context without attributes is another one")
	}
	if observe.WithAttrs(nil, slog.Int("a", 1)) != nil { //nolint:staticcheck // a program may do this
		t.Error("a nil context became one")
	}
	if attrs := (observe.Run{}).Attrs(); attrs != nil {
		t.Errorf("the zero Run has %v", attrs)
	}
}

type broken struct{}

func (broken) LogValue() slog.Value { panic("no value") }

func TestAttrsAreBounded(t *testing.T) {
	var run observe.Run
	var ctx context.Context
	o := observe.Func(func(inner context.Context, r observe.Run) (context.Context, observe.Watch) {
		run, ctx = r, inner
		return inner, nil
	})
	if _, err := flow.Run(observe.With(t.Context(), o), flow.Of(plantest.Named("", nil)), step.Unit{}); err != nil {
		t.Fatal(err)
	}
	observe.SetAttrs(ctx, slog.Any("broken", broken{}))
	for i := range 2 * observe.MaxAttrs {
		observe.SetAttrs(ctx, slog.Int(fmt.Sprint(i), i))
	}
	observe.SetAttrs(ctx, slog.Int("0", -1))
	attrs := run.Attrs()
	if len(attrs) != observe.MaxAttrs || attrs[1].Value.Int64() != -1 || !strings.Contains(attrs[0].String(), "panicked") {
		t.Errorf("%d attributes: %v", len(attrs), attrs)
	}
}

func TestAttrsConcurrently(t *testing.T) {
	var out bytes.Buffer
	set := step.Await(func(ctx context.Context, _ step.Unit) (step.Unit, error) {
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() { observe.SetAttrs(ctx, slog.Int(fmt.Sprint("k", i), i)) })
		}
		all.Wait()
		return step.Unit{}, nil
	})
	ctx := observe.With(t.Context(), observe.Log(written(&out), slog.LevelInfo))
	if _, err := flow.Run(observe.WithAttrs(ctx, slog.Duration("limit", time.Second)), flow.Of(set), step.Unit{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if first := lines[0]; !strings.HasSuffix(first, "limit=1s") {
		t.Errorf("first: %s", first)
	}
	for i := range 8 {
		if want := fmt.Sprintf("k%d=%d", i, i); !strings.Contains(lines[len(lines)-1], want) {
			t.Errorf("%s isn't in %s", want, lines[len(lines)-1])
		}
	}
}

func planOf(name string) flow.Plan[step.Unit, step.Unit] {
	return flow.Named(name, flow.Of(plantest.Named("", nil)))
}

// The plans are built anew for each run.
func TestPlanID(t *testing.T) {
	var ids []observe.PlanID
	o := observe.Func(func(ctx context.Context, r observe.Run) (context.Context, observe.Watch) {
		ids = append(ids, r.PlanID())
		return ctx, nil
	})
	ctx := observe.With(t.Context(), o)
	for i := range 4 {
		p := planOf([...]string{"a", "a", "a", "b"}[i])
		if _, err := flow.Run(ctx, p, step.Unit{}); err != nil {
			t.Fatal(err)
		}
	}
	if ids[0] != ids[1] || ids[0] != ids[2] || ids[0] == ids[3] {
		t.Error("IDs differ where they should not, or the reverse")
	}
	if _, err := flow.Run(ctx, planOf("a"), step.Unit{}); err != nil {
		t.Fatal(err)
	}
	if ids[4] == ids[0] {
		t.Error("a plan of another place has the same ID")
	}
	if (observe.Run{}).PlanID() != (observe.PlanID{}) {
		t.Error("the zero Run has an ID")
	}
}

type counted struct{ asked *int }

func (c counted) String() string { *c.asked++; return "A-17" }

// WithAttrs and SetAttrs ask each value for its text once.
func TestAttrsAreTextOnceSet(t *testing.T) {
	var out bytes.Buffer
	asked := 0
	attrs := []slog.Attr{slog.Any("order", counted{&asked}), slog.Group("about", slog.Any("item", counted{&asked}))}
	ctx := observe.With(t.Context(), observe.Log(written(&out), slog.LevelInfo))
	ctx = observe.WithAttrs(ctx, attrs...)
	if asked != 2 {
		t.Errorf("WithAttrs asked %d times, want once for each value", asked)
	}
	set := step.Func(func(as step.Scope, _ step.Unit) (step.Unit, error) {
		observe.SetAttrs(as.Context(), slog.Any("also", counted{&asked}))
		return step.Unit{}, nil
	})
	if _, err := flow.Run(ctx, flow.Of(set), step.Unit{}); err != nil {
		t.Fatal(err)
	}
	if asked != 3 {
		t.Errorf("the texts were asked for %d times, want once for each value", asked)
	}
	if !strings.Contains(out.String(), "order=A-17 about.item=A-17 also=A-17") {
		t.Errorf("the log is\n%s", out.String())
	}
}

type endless struct{}

func (endless) LogValue() slog.Value { return slog.GroupValue(slog.Any("again", endless{})) }

type failing struct{}

func (failing) Error() string { panic("no text") }

func TestAttrsOfHostileValues(t *testing.T) {
	many := make([]slog.Attr, 2*observe.MaxAttrs)
	for i := range many {
		many[i] = slog.Int(fmt.Sprint(i), i)
	}
	var run observe.Run
	o := observe.Func(func(ctx context.Context, r observe.Run) (context.Context, observe.Watch) {
		run = r
		return ctx, nil
	})
	ctx := observe.WithAttrs(observe.With(t.Context(), o), slog.Any("endless", endless{}), slog.GroupAttrs("many", many...),
		slog.Any("long", []string{strings.Repeat("é", 5000)}), slog.Any("panics", failing{}), slog.Any("nil", nil),
		slog.Any("none", (*fault.Error)(nil)))
	if _, err := flow.Run(ctx, flow.Of(plantest.Named("", nil)), step.Unit{}); err != nil {
		t.Fatal(err)
	}
	attrs := run.Attrs()
	if got := attrs[0].String(); len(got) > 200 || !strings.HasSuffix(strings.TrimRight(got, "]"), "…") {
		t.Errorf("a group that contains itself is %s", got)
	}
	if got := len(attrs[1].Value.Group()); got != observe.MaxAttrs {
		t.Errorf("a group has %d members", got)
	}
	if got := attrs[2].Value.String(); len(got) > 4200 || !utf8.ValidString(got) || !strings.HasSuffix(got, "…") {
		t.Errorf("a long text has %d bytes", len(got))
	}
	if got := attrs[3].Value.String(); !strings.Contains(got, "PANIC") {
		t.Errorf("a panic is %s", got)
	}
	if got := attrs[4].Value; got.Any() != nil {
		t.Errorf("nil is %v", got)
	}
}

// A dense group holds itself in each of its members.
type dense struct{ asked *int }

func (d dense) LogValue() slog.Value {
	*d.asked++
	again := make([]slog.Attr, 5)
	for i := range again {
		again[i] = slog.Any(strconv.Itoa(i), d)
	}
	return slog.GroupValue(again...)
}

// The members of all groups of an attribute are bounded together, or they would be 5^8.
func TestAttrsOfDenseGroups(t *testing.T) {
	asked := 0
	observe.WithAttrs(t.Context(), slog.Any("dense", dense{&asked}))
	if asked > 1001 {
		t.Errorf("LogValue was called %d times", asked)
	}
}

// setting sets another attribute of the run when its value is asked for.
type setting struct {
	run   context.Context
	asked *int
}

func (s setting) LogValue() slog.Value {
	if *s.asked++; *s.asked > 10 {
		panic("endless")
	}
	observe.SetAttrs(s.run, slog.Int("inner", 1))
	return slog.IntValue(2)
}

func TestSetAttrsInLogValue(t *testing.T) {
	asked := 0
	var run observe.Run
	o := observe.Func(func(ctx context.Context, r observe.Run) (context.Context, observe.Watch) {
		run = r
		return ctx, nil
	})
	set := step.Func(func(as step.Scope, _ step.Unit) (step.Unit, error) {
		observe.SetAttrs(as.Context(), slog.Any("outer", setting{as.Context(), &asked}))
		return step.Unit{}, nil
	})
	if _, err := flow.Run(observe.With(t.Context(), o), flow.Of(set), step.Unit{}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(run.Attrs()); got != "[inner=1 outer=2]" || asked != 1 {
		t.Errorf("the attributes are %s; LogValue was called %d times", got, asked)
	}
}
