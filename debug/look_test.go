package debug

import (
	"testing"

	"github.com/futoin-go/asyncsteps/syncx"
)

// An entry that isn't in the queue of its guard waits for nothing.
func TestNoPlaceInAnEmptyQueue(t *testing.T) {
	g := newGuard("door", 1, syncx.NewMutex(1, -1))
	if v := newLook(0).queueOf(&entry{guard: g}); v != nil {
		t.Errorf("got %+v", v)
	}
}
