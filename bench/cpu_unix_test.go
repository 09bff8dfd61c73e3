//go:build unix

package bench

import (
	"syscall"
	"testing"
	"time"
)

// processors begins to count the processor time of this process. report reports that of an operation, divided by n, as cpu-unit.
// It doesn't include the time for which the process has to wait for a processor.
func processors(b *testing.B) (report func(n int, unit string)) {
	b.Helper()
	before := used(b)
	return func(n int, unit string) {
		b.Helper()
		b.ReportMetric(float64((used(b)-before).Nanoseconds())/float64(b.N)/float64(n), "cpu-"+unit)
	}
}

func used(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
