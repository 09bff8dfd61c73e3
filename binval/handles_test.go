package binval_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
	"pgregory.net/rapid"
)

func TestHandlesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table binval.Handles[int]
		model := make(map[binval.Handle]int)
		var issued []binval.Handle
		any1 := func(t *rapid.T) binval.Handle {
			if len(issued) == 0 {
				return binval.Handle(rapid.Uint64().Draw(t, "wild"))
			}
			return rapid.SampledFrom(issued).Draw(t, "handle")
		}
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				n := rapid.Int().Draw(t, "entry")
				h := table.Put(n)
				if slices.Contains(issued, h) || h == 0 {
					t.Fatalf("handle %#x was issued before, or is zero", h)
				}
				issued = append(issued, h)
				model[h] = n
			},
			"get": func(t *rapid.T) {
				h := any1(t)
				got, ok := table.Get(h)
				want, has := model[h]
				if got != want || ok != has {
					t.Fatalf("%#x is %d %t, want %d %t", h, got, ok, want, has)
				}
			},
			"take": func(t *rapid.T) {
				h := any1(t)
				got, ok := table.Take(h)
				want, has := model[h]
				delete(model, h)
				if got != want || ok != has {
					t.Fatalf("%#x is %d %t, want %d %t", h, got, ok, want, has)
				}
			},
			"": func(t *rapid.T) {
				if table.Len() != len(model) {
					t.Fatalf("%d entries, want %d", table.Len(), len(model))
				}
			},
		})
	})
}

func TestHandlesConcurrent(t *testing.T) {
	var table binval.Handles[int]
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for range 1000 {
				h := table.Put(n)
				if got, ok := table.Get(h); got != n || !ok {
					t.Error(got, ok)
				}
				if got, ok := table.Take(h); got != n || !ok {
					t.Error(got, ok)
				}
			}
		})
	}
	all.Wait()
	if table.Len() != 0 {
		t.Error(table.Len(), "left")
	}
}
