//go:build wasip1

package guest_test

import (
	"time"

	"github.com/futoin-go/asyncsteps/binval/wasm/guest"
)

//go:wasmexport pause
func pause(p, _, args uint32) {
	as := guest.Steps(p)
	ms, _ := guest.Take[int64](args)
	as.Timeout(time.Second)
	as.Wait()
	as.After(time.Duration(ms)*time.Millisecond, func() { guest.Give(as, true) })
}

// A step that waits for a timer, for a second at most.
func ExampleSteps_Wait() {}
