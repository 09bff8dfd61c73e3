package flow

import (
	"fmt"
	"slices"
	"strings"
)

// Change is one difference between two plans.
type Change struct {
	// Old and New are the step before and after. Old is nil if the step was added, New is nil if
	// the step was removed; all that the step holds was added or removed with it.
	Old, New *Tree
}

// String returns one line: "+ 0/2 func parse" for a step that was added, "- 0/1 map "trim"" for one that was removed, and the
// differences for one that has changed: "~ 0/1: kind func → await, out int → string". If the step has moved, the line has both
// paths. Differences of parameters are shown only if the kind is the same.
func (c Change) String() string {
	switch {
	case c.Old == nil:
		return "+ " + c.New.label()
	case c.New == nil:
		return "- " + c.Old.label()
	}
	var parts []string
	for _, f := range []struct{ what, old, new string }{
		{"kind", c.Old.Kind, c.New.Kind},
		{"name", quoted(c.Old.Name), quoted(c.New.Name)},
		{"in", c.Old.In, c.New.In},
		{"out", c.Old.Out, c.New.Out},
		{"edges", fmt.Sprint(c.Old.Edges), fmt.Sprint(c.New.Edges)},
	} {
		if f.old != f.new {
			parts = append(parts, f.what+" "+f.old+" → "+f.new)
		}
	}
	if c.Old.Kind == c.New.Kind {
		parts = append(parts, changed(c.Old.Parameters, c.New.Parameters)...)
	}
	place := c.Old.place()
	if now := c.New.place(); now != place {
		place += " → " + now
	}
	return "~ " + place + ": " + strings.Join(parts, ", ")
}

func (t *Tree) label() string {
	words := []string{t.place(), t.Kind}
	switch {
	case t.Name != "":
		words = append(words, quoted(t.Name))
	case t.Func != "":
		words = append(words, t.Func)
	}
	parts := make([]string, 1, 1+len(t.Parameters))
	parts[0] = strings.Join(words, " ")
	for _, p := range t.Parameters {
		parts = append(parts, p.String())
	}
	return strings.Join(parts, ", ")
}

// changed returns the differences between the parameters of a step: "limit 1s → 2s".
func changed(before, after []Parameter) (parts []string) {
	value := func(of []Parameter, name string) string {
		if i := slices.IndexFunc(of, func(p Parameter) bool { return p.Name == name }); i >= 0 {
			return of[i].Value
		}
		return "none"
	}
	for _, p := range before {
		if now := value(after, p.Name); now != p.Value {
			parts = append(parts, p.String()+" → "+now)
		}
	}
	for _, p := range after {
		if value(before, p.Name) == "none" {
			parts = append(parts, p.Name+" none → "+p.Value)
		}
	}
	return parts
}

// place returns the path for messages. A handler or hook has the path of its holder, so its role is added.
func (t *Tree) place() string {
	switch t.Role {
	case RolePlan:
		return "the plan"
	case RoleHandler, RoleHook:
		return t.Path + " " + string(t.Role)
	default:
		return t.Path
	}
}

func quoted(name string) string { return fmt.Sprintf("%q", name) }

// Diff returns the changes from one plan to another: steps that were added, removed, or have another kind, name,
// type, edges or parameters, in the order of the plans. A step that differs only in its path, because of a change
// before it, has not changed. Between plans with equal digests Diff finds changes of parameters at most.
//
// Steps have no identity apart from their description, so Diff guesses which are the same. It first pairs steps with
// equal digests and parameters. Between these pairs it pairs steps with equal digests, then steps of the same role, kind
// and name, then steps of the same role. Diff doesn't change the Trees, and the changes point into them. Both Trees must
// be results of [Describe] or copies of such results; nil stands for a plan without steps. Diff doesn't recurse.
func Diff(before, after *Tree) []Change {
	var changes []Change
	for todo := []Change{{before, after}}; len(todo) > 0; {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case c.Old == nil && c.New == nil:
			continue
		case c.Old == nil || c.New == nil:
			changes = append(changes, c)
			continue
		case c.Old.Digest == c.New.Digest && len(c.Old.Holds) == len(c.New.Holds):
			if !slices.Equal(c.Old.Parameters, c.New.Parameters) {
				changes = append(changes, c)
			}
			for i, held := range slices.Backward(c.Old.Holds) { // paired by index, because the digests are equal
				todo = append(todo, Change{held, c.New.Holds[i]})
			}
			continue
		case !same(c.Old, c.New):
			changes = append(changes, c)
		}
		for _, held := range slices.Backward(pair(c.Old.Holds, c.New.Holds)) {
			todo = append(todo, held)
		}
	}
	return changes
}

// same reports whether two steps are the same for Diff, apart from what they hold.
func same(a, b *Tree) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.In == b.In && a.Out == b.Out &&
		slices.EqualFunc(a.Edges, b.Edges, slices.Equal[[]int]) && slices.Equal(a.Parameters, b.Parameters)
}
