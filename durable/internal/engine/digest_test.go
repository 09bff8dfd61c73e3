package engine_test

import (
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The message names each difference by its path. If the same plan is built in another place of the source, that is no
// difference.
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
	// A plan of Also may be added, because a run that began without it doesn't enter it. It may not be removed, because
	// a run that began with it may enter it.
	more := plans(flow.Then(trim(), upper()), durable.Also("extra", trim()))
	if what := changed(more, stored); what != "" {
		t.Errorf("another plan is added: %s", what)
	}
	if with, err := more.Record(); err != nil || !strings.Contains(changed(first, with), "extra - the plan plan") {
		t.Errorf("another plan is removed: %q, %v", changed(first, with), err)
	}
	// Patches are added one after the other.
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

func changed(now engine.Plans, before engine.Record) string { return now.Changed(now.Digest(), before) }
