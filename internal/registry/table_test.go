package registry_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/registry"
	"github.com/futoin-go/asyncsteps/internal/seedtest"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) {
	seedtest.Fix()
	m.Run()
}

// A Table behaves like a map whose keys never repeat.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table registry.Table[int]
		model := make(map[uintptr]int)
		var issued []uintptr
		issue := func(number uintptr, entry int) {
			if slices.Contains(issued, number) || number == 0 {
				t.Fatalf("number %#x was issued before, or is zero", number)
			}
			issued = append(issued, number)
			model[number] = entry
		}
		some := func(t *rapid.T) uintptr {
			if len(issued) == 0 {
				return uintptr(rapid.Uint64().Draw(t, "wild"))
			}
			return rapid.SampledFrom(issued).Draw(t, "number")
		}
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				n := rapid.Int().Draw(t, "entry")
				issue(table.Put(n), n)
			},
			"get": func(t *rapid.T) {
				number := some(t)
				got, ok := table.Get(number)
				want, has := model[number]
				if got != want || ok != has {
					t.Fatalf("%#x is %d %t, want %d %t", number, got, ok, want, has)
				}
			},
			"take": func(t *rapid.T) {
				number := some(t)
				got, ok := table.Take(number)
				want, has := model[number]
				delete(model, number)
				if got != want || ok != has {
					t.Fatalf("%#x is %d %t, want %d %t", number, got, ok, want, has)
				}
			},
			"renew": func(t *rapid.T) {
				number := some(t)
				entry, has := model[number]
				if !has {
					t.Skip()
				}
				delete(model, number)
				issue(table.Renew(number), entry)
			},
			"": func(t *rapid.T) {
				if got := maps.Collect(table.All()); !maps.Equal(got, model) || table.Len() != len(model) {
					t.Fatalf("%d entries: %v, want %v", table.Len(), got, model)
				}
			},
		})
	})
}

// All visits every entry even if each is taken on the way.
func TestTakeWhileVisiting(t *testing.T) {
	var table registry.Table[int]
	for n := range 9 {
		table.Put(n)
	}
	var got []int
	for number, n := range table.All() {
		got = append(got, n)
		table.Take(number)
	}
	slices.Sort(got)
	if !slices.Equal(got, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}) || table.Len() != 0 {
		t.Errorf("visited %v, %d are left", got, table.Len())
	}
}
