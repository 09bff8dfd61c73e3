package op

import (
	"reflect"
	"strconv"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// The states of steps that hold many branches release the memory for very many of them.
func TestStatesKeepLittleRoom(t *testing.T) {
	for n, want := range map[int]int{kept: kept, kept + 1: 0} {
		var all elements[int, int]
		all.Grow(n)
		all.Clear()
		var graph pending
		graph.Grow(n)
		graph.Clear()
		var lanes roster
		lanes.open(n)
		lanes.idle = make([]int32, n)
		lanes.ends = make([]int32, n)
		lanes.Clear()
		for what, got := range map[string]int{
			"each": cap(all.Branches), "graph": cap(graph.Branches), "roster": cap(lanes.Branches),
			"idle lanes": cap(lanes.idle), "lanes that end": cap(lanes.ends),
		} {
			if got != want {
				t.Errorf("%s: room for %d of %d is kept, want %d", what, got, n, want)
			}
		}
	}
}

// The states of an Ask, of a cancel hook and of a saga refer to nothing of the last run once they were cleared.
func TestClearedStatesReferToNothing(t *testing.T) {
	var answer Answer[*int]
	answer.slot.value = new(int)
	answer.Clear()
	if answer.slot.value != nil {
		t.Error("an answer holds its value")
	}
	cancels := hook{op: new(pass[int]), frame: new(frame.Frame)}
	cancels.Clear()
	if cancels.op != nil || cancels.frame != nil {
		t.Error("a hook holds its op or its frame")
	}
	var saga undos
	saga.add(&effect[int]{})
	saga.Clear()
	if saga.newest != nil || saga.oldest != nil || saga.n != 0 {
		t.Error("a saga holds an effect")
	}
}

// The states of a saga, of its undos and of retries are held by each run that waits inside of them, so they are small: forks
// and the memory for pauses are taken when they are needed.
func TestStatesThatWaitAreSmall(t *testing.T) {
	if strconv.IntSize != 64 {
		t.Skip("the sizes are those of 64 bits")
	}
	for of, most := range map[reflect.Type]uintptr{
		reflect.TypeFor[undos]():    56,
		reflect.TypeFor[undoable](): 16,
		reflect.TypeFor[tries]():    40,
	} {
		if n := of.Size(); n > most {
			t.Errorf("%v takes %d bytes, more than %d", of, n, most)
		}
	}
}
