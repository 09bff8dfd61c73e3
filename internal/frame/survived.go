package frame

import (
	"fmt"
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/usercode"
)

// mostLost bounds how many survived errors of one race are kept: the first and the latest ones.
const mostLost = 32

// keepLost appends err to kept, in place of the second oldest if there is no room.
func keepLost(kept []error, err error) []error {
	if len(kept) == mostLost {
		kept = slices.Delete(kept, 1, 2)
	}
	return append(kept, err)
}

// lose keeps err, an error that the fork survives, and the defects that came with it.
func (k *Fork) lose(err error, t *trail) {
	if broken := panicOf(err); broken != nil {
		k.breaks(broken)
	}
	for _, broken := range t.defects {
		k.breaks(broken)
	}
	k.losses++
	k.lost = keepLost(k.lost, err)
	t.shrink()
}

func (k *Fork) breaks(broken error) {
	if len(k.defects) == mostLost {
		k.unkept++
	}
	k.defects = keepLost(k.defects, broken)
}

// broken returns the defects of the branches whose errors the fork has survived. If some weren't kept, the last error
// tells how many.
func (k *Fork) broken() []error {
	if k.unkept == 0 {
		return k.defects
	}
	rest := fault.New(fault.InternalError, fmt.Sprintf("%d more panics and the like in branches that have lost a race", k.unkept))
	return append(slices.Clip(k.defects), rest)
}

// bequeath moves the errors that k has survived, and their defects, to t, the trail of the error because of which k is left.
func (k *Fork) bequeath(t *trail) {
	t.also(k.lost...)
	t.defects = append(t.defects, k.broken()...)
	k.Clear()
}

// Clear drops the errors that k refers to.
func (k *Fork) Clear() {
	clear(k.lost)
	clear(k.defects)
	k.lost, k.defects = k.lost[:0], k.defects[:0]
	k.losses, k.unkept = 0, 0
}

// panicOf returns the error of a body or handler that has panicked or has ended its goroutine. That is err itself, or the cause
// of err if err only joins secondary errors to its cause, as after a silent handler. panicOf returns nil for other errors.
func panicOf(err error) error {
	for {
		e, ok := err.(*fault.Error)
		if !ok {
			return nil
		}
		if _, panicked := e.Cause.(*fault.Panic); panicked || e.Cause == usercode.ErrGoexit {
			return e
		}
		if len(e.Secondary) == 0 {
			return nil
		}
		err = e.Cause
	}
}
