package debug

import (
	"testing"

	"github.com/futoin-go/asyncsteps/syncx"
)

// A step that has left the queue of its guard, as one that was just rejected, has no place in it, also if nobody else is there.
func TestNoPlaceInAnEmptyQueue(t *testing.T) {
	g := newGuard("door", 1, syncx.NewMutex(1, -1))
	if v := newLook(0).queueOf(&entry{guard: g}); v != nil {
		t.Errorf("got %+v", v)
	}
}
