package wasm

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/tool"
)

// repeatGuest returns a guest for a repeat. Each iteration is two steps, the second one added by the first one, or a step that waits for
// an immediate.
func repeatGuest() asm {
	return asm{
		imports: []string{"futoin.add/4", "futoin.waitExternal/1", "futoin.sched_immediate/4", "futoin.success/2"},
		table:   []string{"adds", "added", "waits", "done"},
		code: []defined{
			{"adds", 3, false, concat(as, number(0), number(2), number(0), invoke("add"))},
			{"added", 3, false, nil},
			{"waits", 3, false, concat(as, invoke("waitExternal"), number(4096), as, as, number(4), invoke("sched_immediate"))},
			{"done", 1, false, concat(as, number(0), invoke("success"))},
		},
	}
}

func benchmarkRepeat(b *testing.B, function uint32, trusted bool, steps float64) {
	m, err := Load(context.Background(), repeatGuest().step(), Limits{Trusted: trusted})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	loop := tool.NewManual(tool.Options{})
	i, err := m.take(context.Background(), loop, true)
	if err != nil {
		b.Fatal(err)
	}
	r := i.newRoot()
	repeat(r.peer, []uint32{r.peer.at, 0, uint32(b.N), function, 0})
	r.execute(0, 0)
	b.ReportAllocs()
	b.ResetTimer()
	for loop.Iterate() {
	}
	b.StopTimer()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/steps, "ns/step")
	i.end()
}

// This is BenchmarkStepOfC of binval/cabi for a guest, with and without the code that stops it.
func BenchmarkStepOfWasm(b *testing.B) {
	b.Run("col=guarded", func(b *testing.B) { benchmarkRepeat(b, 1, false, 2) })
	b.Run("col=trusted", func(b *testing.B) { benchmarkRepeat(b, 1, true, 2) })
}

func BenchmarkWaitOfWasm(b *testing.B) {
	b.Run("col=guarded", func(b *testing.B) { benchmarkRepeat(b, 3, false, 1) })
	b.Run("col=trusted", func(b *testing.B) { benchmarkRepeat(b, 3, true, 1) })
}

// A call of the guest that does nothing: the cost of the runtime.
func BenchmarkWazero(b *testing.B) {
	for name, trusted := range map[string]bool{"guarded": false, "trusted": true} {
		b.Run("col="+name, func(b *testing.B) {
			m, err := Load(context.Background(), repeatGuest().step(), Limits{Trusted: trusted})
			if err != nil {
				b.Fatal(err)
			}
			defer m.Close()
			f := m.idle[0].module.ExportedFunction("added")
			var stack [3]uint64
			b.ReportAllocs()
			for b.Loop() {
				if err := f.CallWithStack(context.Background(), stack[:]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkInstanceOfWasm(b *testing.B) {
	m, err := Load(context.Background(), repeatGuest().step(), Limits{})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	loop := tool.NewManual(tool.Options{})
	b.ReportAllocs()
	for b.Loop() {
		i, err := m.take(context.Background(), loop, true)
		if err != nil {
			b.Fatal(err)
		}
		i.end()
	}
}
