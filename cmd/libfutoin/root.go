//go:build cgo

package main

// #include <stdint.h>
import "C"

import (
	"math"
	"time"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/syncx"
)

//export ftngo_root_new
func ftngo_root_new(t C.uintptr_t) unsafe.Pointer {
	if m := loop(t); m != nil {
		return cabi.NewRoot(m).Binary()
	}
	return nil
}

//export ftngo_root_free
func ftngo_root_free(_ C.uintptr_t, root unsafe.Pointer) {
	if as, err := cabi.Wrap(root); err == nil {
		as.Free()
	}
}

//export ftngo_live
func ftngo_live() C.int64_t { return C.int64_t(cabi.Live()) }

//export ftngo_mutex_new
func ftngo_mutex_new(maximum C.uint32_t, maxQueue C.int64_t) unsafe.Pointer {
	return guard(syncx.NewMutex(int(maximum), queue(maxQueue)))
}

//export ftngo_throttle_new
func ftngo_throttle_new(maximum, period C.uint32_t, maxQueue C.int64_t) unsafe.Pointer {
	return guard(syncx.NewThrottle(int(maximum), ms(period), queue(maxQueue)))
}

//export ftngo_limiter_new
func ftngo_limiter_new(concurrent C.uint32_t, maxQueue C.int64_t, rate, period C.uint32_t, burst C.int64_t) unsafe.Pointer {
	if concurrent == 0 || rate == 0 || period == 0 {
		return nil // syncx.Limits would take zeros for its defaults
	}
	return guard(syncx.NewLimiter(syncx.Limits{
		Concurrent: int(concurrent), MaxQueue: queue(maxQueue),
		Rate: int(rate), Period: ms(period), Burst: queue(burst),
	}))
}

//export ftngo_sync_free
func ftngo_sync_free(sync unsafe.Pointer) { cabi.FreeSync(sync) }

func guard(g syncx.Guard) unsafe.Pointer {
	s, err := cabi.NewSync(g)
	if err != nil {
		return nil
	}
	return s.Binary()
}

func ms(n C.uint32_t) time.Duration { return time.Duration(n) * time.Millisecond }

// queue converts a limit of C to one of package syncx.
func queue(n C.int64_t) int { return int(min(max(n, -1), math.MaxInt)) }
