//go:build !unix

package enginetest

import (
	"testing"
	"time"
)

// ProcessorTime skips b: it isn't implemented for this system.
func ProcessorTime(b testing.TB) time.Duration {
	b.Helper()
	b.Skip("skipped: the time of processes isn't measured on this system")
	return 0
}
