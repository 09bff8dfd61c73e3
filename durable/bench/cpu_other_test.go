//go:build !unix

package bench

import (
	"testing"
	"time"
)

// processorTime isn't implemented for this system.
func processorTime(b testing.TB) time.Duration {
	b.Helper()
	b.Skip("skipped: the time of processes isn't measured on this system")
	return 0
}
