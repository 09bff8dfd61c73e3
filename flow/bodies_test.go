package flow_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// A worker process learns the names of the bodies that it may be asked to call.
func ExampleBodies() {
	charge := step.Await(func(_ context.Context, order string) (int, error) { return len(order), nil })
	plan := flow.Then(flow.Named("charge", charge), flow.Named("audit", flow.Call(step.Map(func(int) bool { return true }))))
	for place, body := range flow.Bodies(plan) {
		fmt.Println(place.Path, place.Kind, place.Name, body.In, "→", body.Out)
	}
	// Output:
	// 0 await charge string → int
	// 1 call audit int → bool
}

// Bodies lists the steps that are made of blocking functions. A step at two places has one body.
func TestBodies(t *testing.T) {
	body := func(_ context.Context, in int) (int, error) { return in, nil }
	twice := step.Await(body)
	caught := flow.Catch(step.AwaitGrace(1, body), func(step.Scope, error) step.Next[int] { return step.Unwind[int]() })
	plan := flow.Chain(twice, step.Do(func(context.Context, int) error { return nil }), caught,
		flow.Then(flow.Par(twice, flow.AwaitChan(func(context.Context, int) <-chan int { return nil })), step.Map(func([]int) int { return 0 })))
	var kinds, paths []string
	var bodies []*tool.Body
	for place, b := range flow.Bodies(plan) {
		kinds, paths, bodies = append(kinds, place.Kind), append(paths, place.Path), append(bodies, b)
		if b.In != reflect.TypeFor[int]() || b.Out != b.In || b.Call == nil || b.Start != nil {
			t.Errorf("%s: %+v", place.Path, b)
		}
	}
	if want := []string{"await", "do", "await", "await", "awaitchan"}; !slices.Equal(kinds, want) {
		t.Errorf("kinds %v, want %v", kinds, want)
	}
	if want := []string{"0", "1", "2", "3/par.0/0", "3/par.1/0"}; !slices.Equal(paths, want) {
		t.Errorf("paths %v, want %v", paths, want)
	}
	if bodies[0] != bodies[3] || bodies[0] == bodies[2] {
		t.Error("a body is not that of its step")
	}
	for range flow.Bodies(plan) {
		break
	}
}
