package tool

import "github.com/futoin-go/asyncsteps/tool/internal/goid"

// Caller names the goroutine that will drive a loop, for [Manual.EnterAs]. The zero Caller names none. It must not be
// used once its goroutine has ended: another one could be taken for it.
type Caller struct{ id uint64 }

// Self names the calling goroutine. Where to learn that takes more than nanoseconds it gives the zero Caller.
func Self() Caller {
	if !goid.Fast {
		return Caller{}
	}
	return Caller{goid.Current()}
}
