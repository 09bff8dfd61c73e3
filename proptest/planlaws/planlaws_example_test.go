package planlaws_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/planlaws"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"pgregory.net/rapid"
)

// desk is a fake that hands out keys, one at a time.
type desk struct {
	w    *planlaws.World
	free *syncx.Mutex
}

func newDesk(w *planlaws.World) desk {
	d := desk{w, syncx.NewMutex(1, -1)}
	w.Watch("who is inside", d.free.Inside)
	return d
}

// visit takes a key, looks at the room with the number, and gives the key back.
func (d desk) visit(room int) (string, error) {
	d.w.Acquire("key")
	d.w.Note(fmt.Sprint("room ", room))
	if err := d.w.Call("look"); err != nil {
		return "", err // the key isn't given back
	}
	d.w.Release("key")
	return "seen", nil
}

var visits = planlaws.Subject[int, string]{
	Plan: func(w *planlaws.World) flow.Plan[int, string] {
		d := newDesk(w)
		return syncx.Sync(d.free, step.Func(func(_ step.Scope, room int) (string, error) { return d.visit(room) }))
	},
	Input: func(r *rand.Rand) int { return 100 + r.IntN(10) },
}

// A visit that fails keeps the key, which breaks a law. The failing case can be run again alone.
func ExampleVerify() {
	err := planlaws.Verify(visits)
	fmt.Println(err)

	broken, _ := errors.AsType[*planlaws.Violation](err)
	fmt.Println(broken.Law == planlaws.Released, "in case", broken.Case)
	// Output:
	// law U5: What a run acquires is released once, by its end.
	// broken: key: 1 not released
	// when: an error at call 1, input 102
	// 	0s acquire key
	// 	0s room 102
	// 	0s call look
	// 	0s it fails
	//
	// true in case 0/error=1
}

// A case has a text form, which can be stored.
func ExampleReplay() {
	for _, of := range []string{"0/plain", "0/error=1", "cancel"} {
		err := planlaws.Replay(visits, of)
		broken, _ := errors.AsType[*planlaws.Violation](err)
		switch {
		case broken != nil:
			fmt.Println(of, "breaks", broken.Law)
		case err != nil:
			fmt.Println(err)
		default:
			fmt.Println(of, "keeps the laws")
		}
	}
	// Output:
	// 0/plain keeps the laws
	// 0/error=1 breaks U5: What a run acquires is released once, by its end.
	// planlaws: "cancel" is no case: want one like 3/cancel=5
}

type printed struct{ testing.TB }

func (printed) Helper()                           {}
func (printed) Name() string                      { return "TestVisits" }
func (printed) Fatalf(format string, args ...any) { fmt.Printf(format, args...) }

// In a test, pass its t. The plan gives a wrong result, which only a law of the test itself can know.
func ExampleCheck() {
	t := printed{}
	planlaws.Check(t, planlaws.Subject[int, int]{
		Plan: func(*planlaws.World) flow.Plan[int, int] {
			return flow.Chain(step.Map(func(in int) int { return in / 2 }), step.Map(func(in int) int { return in * 2 }))
		},
		Input: func(r *rand.Rand) int { return r.IntN(100) },
		Judge: func(in, out int, err error) error {
			if err == nil && in != out {
				return fmt.Errorf("%d was halved and doubled", in)
			}
			return nil
		},
	})
	// Output:
	// law U12: Each result is one that Subject.Judge accepts.
	// broken: 10, <nil>: 11 was halved and doubled
	// when: in plain order, input 11
	//
	// replay: PLANLAWS_REPLAY=1/plain go test -run '^TestVisits$' .
}

// recipe describes a plan made of visits and other calls. It is data, so that rapid can print it, and so that the plan can be made
// anew for each World.
type recipe struct {
	Kind string
	Of   []recipe
}

// recipes generates recipes of at most depth levels. rapid shrinks towards the first of the kinds, so the simplest plan is first.
func recipes(depth int) *rapid.Generator[recipe] {
	return rapid.Custom(func(t *rapid.T) recipe {
		kinds := []string{"ask", "visit"}
		if depth > 1 {
			kinds = append(kinds, "one by one", "at once", "in time")
		}
		r := recipe{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		switch r.Kind {
		case "one by one", "at once":
			r.Of = rapid.SliceOfN(recipes(depth-1), 1, 3).Draw(t, "of")
		case "in time":
			r.Of = []recipe{recipes(depth-1).Draw(t, "of")}
		}
		return r
	})
}

// plan makes the plan that r describes.
func (r recipe) plan(d desk) flow.Plan[int, int] {
	parts := make([]step.Step[int, int], len(r.Of))
	for i, of := range r.Of {
		parts[i] = of.plan(d)
	}
	ask := step.Func(func(_ step.Scope, room int) (int, error) { return room, d.w.Call("ask") })
	visit := step.Func(func(_ step.Scope, room int) (int, error) {
		_, err := d.visit(room)
		return room, err
	})
	switch r.Kind {
	case "one by one":
		return flow.Chain(parts...)
	case "at once":
		first := step.Map(func(rooms []int) int { return rooms[0] })
		return flow.Then(flow.Par(parts...), first)
	case "in time":
		return flow.Timeout(time.Second, parts[0])
	case "visit":
		return syncx.Sync(d.free, visit)
	default:
		return flow.Named("ask", ask)
	}
}

// Plans of one's own can be drawn too: a generator gives recipes, and a recipe makes a plan of the fakes
// of a World. Here a recipe with a visit breaks a law, because an error leaves the key with the visitor.
//
// In a test, write rapid.Check(t, …), draw the recipe with recipes(3).Draw(t, "plan") and give the error
// of Verify to t.Fatal: rapid then looks for the smallest plan that fails.
func ExampleVerify_drawnPlans() {
	for seed := range 5 {
		drawn := recipes(3).Example(seed)
		err := planlaws.Verify(planlaws.Subject[int, int]{
			Plan:  func(w *planlaws.World) flow.Plan[int, int] { return drawn.plan(newDesk(w)) },
			Input: func(r *rand.Rand) int { return 100 + r.IntN(10) },
		})
		broken, found := errors.AsType[*planlaws.Violation](err)
		if found {
			fmt.Println(drawn, "breaks", broken.Law)
		} else {
			fmt.Println(drawn, "keeps the laws")
		}
	}
	// Output:
	// {visit []} breaks U5: What a run acquires is released once, by its end.
	// {one by one [{visit []} {visit []} {in time [{ask []}]}]} breaks U5: What a run acquires is released once, by its end.
	// {in time [{visit []}]} breaks U5: What a run acquires is released once, by its end.
	// {at once [{visit []}]} breaks U5: What a run acquires is released once, by its end.
	// {ask []} keeps the laws
}
