package debug

import (
	"testing"

	"github.com/futoin-go/asyncsteps/syncx"
)

// A step that was just rejected is in no queue.
func TestNoPlaceInAnEmptyQueue(t *testing.T) {
	g := newGuard("door", 1, syncx.NewMutex(1, -1))
	if v := newLook(0).queueOf(&entry{guard: g}); v != nil {
		t.Errorf("got %+v", v)
	}
}
