package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

// A plan that is built elsewhere in the source hasn't changed. One with other steps, or another order, has.
func TestChangedPlan(t *testing.T) {
	trim := func() flow.Plan[string, string] { return flow.Named("trim", step.Map(strings.TrimSpace)) }
	upper := func() flow.Plan[string, string] { return flow.Named("upper", step.Map(strings.ToUpper)) }
	plans := func(p flow.Plan[string, string], with ...durable.Option) engine.Plans {
		return durable.New("w", p, with...).Definition().Plans
	}
	first := plans(flow.Then(trim(), upper()))
	stored, err := first.Record()
	if err != nil {
		t.Fatal(err)
	}
	if what := changed(plans(flow.Then(trim(), upper())), stored); what != "" {
		t.Errorf("the same plan: %s", what)
	}
	for _, c := range []struct {
		now  engine.Plans
		want string
	}{
		{plans(trim()), `- 1 map "upper"`},
		{plans(flow.Then(upper(), trim())), `0`},
	} {
		what := changed(c.now, stored)
		if !strings.HasPrefix(what, "the plan has changed since the run began:\n") || !strings.Contains(what, c.want) {
			t.Errorf("got %q, want %q", what, c.want)
		}
	}
	// A plan of Also that is added is no change. One that is removed is.
	more := plans(flow.Then(trim(), upper()), durable.Also("extra", trim()))
	if what := changed(more, stored); what != "" {
		t.Errorf("another plan is added: %s", what)
	}
	if with, err := more.Record(); err != nil || !strings.Contains(changed(first, with), "extra - the plan plan") {
		t.Errorf("another plan is removed: %q, %v", changed(first, with), err)
	}
	once := func() flow.Plan[string, string] { return durable.Patch("one", upper(), flow.Then(upper(), trim())) }
	versions := []engine.Plans{
		first, plans(flow.Then(trim(), once())), plans(flow.Then(durable.Patch("two", trim(), upper()), once())),
		plans(flow.Then(durable.Patch("two", trim(), upper()), durable.Patch("three", once(), trim()))),
	}
	for i, v := range versions {
		was, err := v.Record()
		if err != nil {
			t.Fatal(err)
		}
		for j, now := range versions {
			if what := changed(now, was); (what == "") != (i <= j) {
				t.Errorf("from version %d to %d: %q", i, j, what)
			}
		}
	}
	stored.Plans = nil
	if what := changed(plans(trim()), stored); !strings.Contains(what, "can't be read") {
		t.Errorf("got %q", what)
	}
}

func changed(now engine.Plans, before engine.Record) string {
	own, err := now.Record()
	if err != nil {
		return err.Error()
	}
	return now.Changed(own, before)
}

func trimmed(_ context.Context, s string) (string, error)  { return strings.TrimSpace(s), nil }
func enlarged(_ context.Context, s string) (string, error) { return strings.ToUpper(s), nil }
func lowered(_ context.Context, s string) (string, error)  { return strings.ToLower(s), nil }

// Parameters of steps are part of the plan. Steps without names are told apart by their functions, and a function with a new name is
// no change.
func TestChangedParameters(t *testing.T) {
	type body = func(context.Context, string) (string, error)
	chain := func(bodies ...body) step.Step[string, string] {
		var all []step.Step[string, string]
		for _, b := range bodies {
			all = append(all, step.Await(b))
		}
		return flow.Chain(all...)
	}
	trim := step.Await(trimmed)
	for _, c := range []struct {
		before, now step.Step[string, string]
		want        []string
	}{
		{step.Delay[string](3 * time.Second), step.Delay[string](time.Hour), []string{"~ 0: delay 3s → 1h0m0s"}},
		{flow.Timeout(time.Hour, trim), flow.Timeout(time.Second, trim), []string{"~ 0: limit 1h0m0s → 1s"}},
		{retry.Of(retry.Policy{Tries: 3}, trim), retry.Of(retry.Policy{Tries: 5}, trim), []string{"~ 0: tries 3 → 5"}},
		{flow.Timeout(time.Hour, trim), flow.Timeout(time.Hour, trim), nil},
		{flow.Timeout(time.Hour, trim), durable.Patch("limit", flow.Timeout(time.Hour, trim), flow.Timeout(time.Second, trim)), nil},
		{chain(trimmed, enlarged), chain(enlarged, trimmed), []string{
			"~ 0: trimmed → enlarged, a step without a name that has changed its place",
			"~ 1: enlarged → trimmed, a step without a name that has changed its place",
		}},
		{chain(trimmed, enlarged, lowered), chain(enlarged, lowered, trimmed), []string{"~ 0: trimmed → enlarged", "~ 1: enlarged → lowered", "~ 2: lowered → trimmed"}},
		{chain(trimmed, enlarged, trimmed), chain(enlarged, trimmed, trimmed), []string{"~ 0: trimmed → enlarged", "~ 1: enlarged → trimmed"}},
		{chain(trimmed, enlarged), chain(trimmed, lowered), nil},
		{chain(trimmed, enlarged), chain(enlarged, lowered), nil}, // trimmed got the name enlarged, and enlarged the name lowered
		{chain(trimmed, trimmed), chain(enlarged, enlarged), nil},
		{flow.Then(flow.Named("a", trim), flow.Named("b", step.Await(enlarged))), flow.Then(flow.Named("a", step.Await(enlarged)), flow.Named("b", trim)), nil},
	} {
		stored, err := durable.New("w", c.before).Definition().Plans.Record()
		if err != nil {
			t.Fatal(err)
		}
		what := changed(durable.New("w", c.now).Definition().Plans, stored)
		lines := strings.Split(what, "\n")[1:]
		if len(lines) != len(c.want) {
			t.Errorf("got %q, want %q", what, c.want)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(lines[i], want) {
				t.Errorf("got %q, want %q", lines[i], want)
			}
		}
	}
}
