package bench

import (
	"runtime"
	"testing"
	"time"
)

// peak measures the largest amount of memory in use during an operation of each column.
func (r row) peak(b *testing.B) {
	for n, c := range r.all() {
		b.Run(r.title(n, c), func(b *testing.B) {
			op := c.build(b, n)
			most := 0.0
			for b.Loop() {
				runtime.GC()
				before := inMemory()
				stop := make(chan struct{})
				peak := make(chan uint64)
				go watch(stop, peak)
				if _, err := op(); err != nil {
					b.Fatal(err)
				}
				close(stop)
				most = max(most, float64(<-peak)-float64(before))
			}
			b.ReportMetric(most, "peak-B")
		})
	}
}

// watch sends the largest amount in use, measured every five milliseconds.
func watch(stop <-chan struct{}, peak chan<- uint64) {
	var most uint64
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		select {
		case <-tick.C:
			most = max(most, inMemory())
		case <-stop:
			tick.Stop()
			peak <- most
			return
		}
	}
}

func inMemory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
