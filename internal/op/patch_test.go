package op_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

var errPart = errors.New("failed")

// part returns a group of two steps, of which the second one fails. Both append their paths to seen.
func part(seen *[]string) step.Step[int, int] {
	tell := func(as step.Scope, n int) (int, error) {
		*seen = append(*seen, as.Path())
		return n, nil
	}
	fail := func(as step.Scope, n int) (int, error) {
		*seen = append(*seen, as.Path())
		return n, errPart
	}
	return flow.Named("part", flow.Then(step.Func(tell), step.Func(fail)))
}

// The former part of a patch has the same paths as without the patch, in Scope.Path, in errors and in Describe. The
// present part has paths of its own.
func TestPatchPaths(t *testing.T) {
	for _, c := range []struct {
		former bool
		want   []string
	}{
		{true, []string{"1/0", "1/1"}},
		{false, []string{"1/patch.p/0/0", "1/patch.p/0/1"}},
	} {
		var seen []string
		patch := op.Patch("p", part(&seen).Stage(), part(&seen).Stage(), func(context.Context) bool { return c.former })
		plan := flow.Then(step.Map(func(n int) int { return n }), patch)
		_, err := flow.Run(t.Context(), plan, 1)
		if diff := cmp.Diff(c.want, seen); diff != "" {
			t.Error(diff)
		}
		e, ok := fault.AsType[*fault.Error](err)
		if !ok || e.Path != c.want[1] || !errors.Is(err, errPart) {
			t.Errorf("got %v, want an error at %s", err, c.want[1])
		}
		var way []string
		for _, f := range e.Unwind {
			way = append(way, f.Path+" "+f.Kind)
		}
		part := strings.TrimSuffix(c.want[1], "/1")
		if diff := cmp.Diff([]string{c.want[1] + " func", part + " group", "1 patch"}, way); diff != "" {
			t.Error(diff)
		}
		var paths []string
		for tree := range flow.Describe(plan).All() {
			paths = append(paths, tree.Path)
		}
		if diff := cmp.Diff([]string{"", "0", "1", "1", "1/0", "1/1", "1/patch.p/0", "1/patch.p/0/0", "1/patch.p/0/1"}, paths); diff != "" {
			t.Error(diff)
		}
	}
}

// A handler around a patch belongs to the same step as without the patch.
func TestPatchHandled(t *testing.T) {
	at := ""
	handler := func(as step.Scope, _ error) step.Next[int] {
		at += " handled at " + as.Path()
		return step.Succeed(7)
	}
	broken := step.Func(func(as step.Scope, _ int) (int, error) {
		at = as.Path()
		return 0, errPart
	})
	for _, former := range []step.Step[int, int]{broken, flow.Catch(broken, func(step.Scope, error) step.Next[int] { return step.Fail[int](errPart) })} {
		if _, err := flow.Run(t.Context(), flow.Catch(former, handler), 1); err != nil {
			t.Fatal(err)
		}
		want := at
		patch := op.Patch("p", former.Stage(), broken.Stage(), func(context.Context) bool { return true })
		if out, err := flow.Run(t.Context(), flow.Catch(patch, handler), 1); out != 7 || err != nil || at != want {
			t.Errorf("got %d, %v at %q, want %q", out, err, at, want)
		}
	}
}

// A patch needs a name that can be a part of a path, and a former part that is a single step.
func TestPatchRefuses(t *testing.T) {
	id := op.Map(func(n int) int { return n })
	never := func(context.Context) bool { return false }
	for name, want := range map[string]string{
		"":    "Patch: the name is empty or has a slash",
		"a/b": "Patch: the name is empty or has a slash",
		"two": "Patch two: the former part is several steps",
	} {
		was := id
		if name == "two" {
			was = op.Then(id, id)
		}
		n := op.Patch(name, was, id, never).Node()
		if err := n.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", name, err, want)
		}
		if n.Name != name {
			t.Errorf("it is named %q, want %q", n.Name, name)
		}
	}
}
