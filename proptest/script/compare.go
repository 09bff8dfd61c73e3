package script

import (
	"fmt"
	"maps"
	"slices"
)

// Diff describes the first difference between two traces. It returns "" if there is none. It compares flows, the ends of roots,
// sequences, marks and sections, each in the order of their names or numbers.
func Diff(want, got *Trace) string {
	if d := tables("flow ", want.Strands, got.Strands); d != "" {
		return d
	}
	if d := lists("the end of root", want.Out, got.Out); d != "" {
		return d
	}
	if d := tables("sequence ", want.Seq, got.Seq); d != "" {
		return d
	}
	if d := tables("mark ", want.Marks, got.Marks); d != "" {
		return d
	}
	for _, name := range keys(want.Occ, got.Occ) {
		if w, g := want.Occ[name], got.Occ[name]; w != g {
			return fmt.Sprintf("section %s: want %+v, got %+v", name, w, g)
		}
	}
	return ""
}

func tables[T comparable](kind string, want, got map[string][]T) string {
	for _, name := range keys(want, got) {
		if d := lists(kind+name, want[name], got[name]); d != "" {
			return d
		}
	}
	return ""
}

func lists[T comparable](what string, want, got []T) string {
	for i := range max(len(want), len(got)) {
		w, g := entry(want, i), entry(got, i)
		if w != g {
			return fmt.Sprintf("%s, number %d: want %s, got %s", what, i, w, g)
		}
	}
	return ""
}

func entry[T any](list []T, i int) string {
	if i >= len(list) {
		return "nothing"
	}
	return fmt.Sprint(list[i])
}

func keys[V any](a, b map[string]V) []string {
	all := maps.Clone(a)
	if all == nil {
		all = make(map[string]V)
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
