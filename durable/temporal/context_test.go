package temporal_test

import (
	"sync"
	"testing"

	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable/temporal"
)

type countingContext struct {
	workflow.Context

	mu    sync.Mutex
	times map[any]int
}

func (a *countingContext) Value(key any) any {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.times[key]++
	if key == "none" {
		return nil
	}
	return []any{"the value of", key}
}

// The context remembers values, also nil ones, and gives the same values to all goroutines.
func TestRemember(t *testing.T) {
	from := &countingContext{times: make(map[any]int)}
	ctx := temporal.Remember(from)
	type name string
	keys := []any{"a", "none", name("a"), 1}
	for range 3 {
		for _, key := range keys {
			v, _ := ctx.Value(key).([]any)
			if key == "none" && v != nil || key != "none" && (len(v) != 2 || v[1] != key) {
				t.Errorf("the value of %v is %v", key, v)
			}
		}
	}
	for _, key := range keys {
		if from.times[key] != 1 {
			t.Errorf("%v was asked for %d times", key, from.times[key])
		}
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for key := range 50 {
				if v, _ := ctx.Value(key).([]any); len(v) != 2 || v[1] != key {
					t.Errorf("the value of %d is %v", key, v)
				}
			}
		})
	}
	all.Wait()
}
