package durable

import (
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The message names each difference by its path. If the same plan is built in another place of the source, that is no
// difference.
func TestChangedPlan(t *testing.T) {
	trim := func() flow.Plan[string, string] { return flow.Named("trim", step.Map(strings.TrimSpace)) }
	upper := func() flow.Plan[string, string] { return flow.Named("upper", step.Map(strings.ToUpper)) }
	plans := func(p flow.Plan[string, string], with ...Option) recorded { return New("w", p, with...).def.trees }
	first := plans(flow.Then(trim(), upper()))
	stored, err := first.record()
	if err != nil {
		t.Fatal(err)
	}
	if what := changed(plans(flow.Then(trim(), upper())), stored); what != "" {
		t.Errorf("the same plan: %s", what)
	}
	for _, c := range []struct {
		now  recorded
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
	more := plans(flow.Then(trim(), upper()), Also("extra", trim()))
	if what := changed(more, stored); what != "" {
		t.Errorf("another plan is added: %s", what)
	}
	if with, err := more.record(); err != nil || !strings.Contains(changed(first, with), "extra - the plan plan") {
		t.Errorf("another plan is removed: %q, %v", changed(first, with), err)
	}
	// Patches are added one after the other.
	once := func() flow.Plan[string, string] { return Patch("one", upper(), flow.Then(upper(), trim())) }
	versions := []recorded{
		first, plans(flow.Then(trim(), once())), plans(flow.Then(Patch("two", trim(), upper()), once())),
		plans(flow.Then(Patch("two", trim(), upper()), Patch("three", once(), trim()))),
	}
	for i, v := range versions {
		was, err := v.record()
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

// Names of types in package main are the same in the program and in its tests, where the package has its import path.
func TestTypesOfMain(t *testing.T) {
	for in, want := range map[string]string{
		"main.Order": "X.Order", "[]*main.Order": "[]*X.Order", "map[main.K]main.V": "map[X.K]X.V",
		"example.org/domain.Order": "example.org/domain.Order", "example.org/main.Order": "example.org/main.Order",
	} {
		if got := ofMain.ReplaceAllString(in, "${1}X."); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}

func changed(now recorded, before record) string { return now.changed(now.digest(), before) }
