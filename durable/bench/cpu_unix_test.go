//go:build unix

package bench

import (
	"syscall"
	"testing"
	"time"
)

// processorTime returns the processor time that this process has used so far.
func processorTime(b testing.TB) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
