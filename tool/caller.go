package tool

import "github.com/futoin-go/asyncsteps/internal/goid"

// Caller names the goroutine that will drive a loop, for [Manual.EnterAs]. The zero Caller names none. It must not be
// used once its goroutine has ended: another one could be taken for it.
type Caller struct{ id uint64 }

// Self names the calling goroutine. It takes nanoseconds on amd64 and arm64 and about a microsecond elsewhere.
func Self() Caller { return Caller{goid.Current()} }
